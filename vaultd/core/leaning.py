"""Whether a sentence leans on another: what a reader of it alone could not resolve.

A sentence is quoted away from its neighbours, so one that begins "In each of them", "For this
purpose" or "该文件" says nothing. The rules are those of an editor who takes a sentence out of its
paragraph, for the languages the pages have labels in:

- it begins with a pronoun, a pointing word or a joining adverb, or has one right behind a
  preposition, a conjunction or its first word;
- it points ("this presumption", "dieser Grund", "这些软件包") to what it has not named itself;
- a joining adverb stands near its beginning ("A warm dough therefore …").

What a document says of itself ("In this paper, we …") points to what the page stands for. Which
sentence "he" means is not worked out: a name further on in the sentence comes too late.
"""

from __future__ import annotations

import re

_SOON = 70  # characters of a sentence whose adverbs join it to the one before


def leans(text: str) -> bool:
    """Tell whether `text` refers to a sentence before it."""
    text = text.lstrip("\"'“‘„«(（「『《¿¡")
    text = text[:1].lower() + text[1:]
    if _JOINS_SOON.search(text, 0, _SOON):
        return True
    if _OF_ITSELF.match(text):
        return False
    return bool(_BEGINS.match(text) or _SECOND.match(text)) or _points(text)


def speaks_of_itself(text: str) -> bool:
    """Tell whether a sentence says what its document is or does: "This paper explains …"."""
    return bool(_OF_ITSELF.match(text[:1].lower() + text[1:]))


def _points(text: str) -> bool:
    """Tell whether `text` points to something that none of its own words before it names."""
    east = () if text.isascii() else _EAST_POINTING.finditer(text)
    for found in (*_POINTING.finditer(text), *east):
        named = found["named"]
        stem = named[:2] if named[0] >= "\u3040" else named.removesuffix("s")
        if stem not in text[: found.start()]:
            return True
    return False


# --- the languages -------------------------------------------------------------------------------

_ENGLISH = (
    r"this|these|that|those(?! (?:who|of|that|with)\b)|it|they|them|he|she|him|his|hers?|their|its"
    r"|both|neither|either|such|another|others?|however|therefore|thus|hence|consequently|moreover|furthermore"
    r"|additionally|besides|but|and|so|or|nor|also|then|again|yet|still|instead|otherwise|rather"
    r"|similarly|likewise|conversely|accordingly|nevertheless|nonetheless|meanwhile|indeed"
    r"|specifically|namely|finally|next|first|second|secondly|third|thirdly|lastly|here|there"
    r"|now that|of course|after all|that is|if so|if not|as such|even so|as a matter of"
    r"|as (?:previously|already|mentioned|noted|discussed|shown)"
    r"|(?:as|in) (?:an? |the )?(?:result|addition|contrast|fact|particular|short|other words|turn"
    r"|return|that case|comparison)|for (?:example|instance)|on the (?:other|one|contrary)"
    r"|at (?:first|last)|in our|(?:the|a|an|one|some) (?:former|latter|same|others?|rest|following"
    r"|above|preceding|previous|aforementioned|resulting|next|second|third|last|remaining|problem"
    r"|reason|difference|differing|answer|question|solution|exception|results?|first|two|three)"
    r"|(?:using|with|by|in|for) (?:an? |the )?(?:similar|same)\b(?!.* (?:as|to)\b)"
)
_GERMAN = (
    r"dies\w{0,3}|jene[rsmn]?|solche[rsmn]?|er|es(?! gibt| ist\b.*\b(?:dass|zu)\b)|ihm|ihn|ihnen"
    r"|ihr|ihre[rsmn]?|sie(?! (?:können|sollten|müssen|dürfen|möchten|wollen|brauchen)\b)|dabei"
    r"|dazu|damit|dadurch|deshalb|deswegen|daher|dafür|davon|darin|darauf|daraus|danach|davor|hierzu"
    r"|hierbei|hierfür|hiermit|hier|dort|da|dann|somit|folglich|trotzdem|dennoch|außerdem|zudem"
    r"|ferner|weiterhin|ebenso|ebenfalls|allerdings|jedoch|aber|doch|denn|und|oder|auch|beide"
    r"|letztere\w*|erstere\w*|tatsächlich|schließlich|zunächst|anschließend|ansonsten|andernfalls"
    r"|einerseits|andererseits|zum Beispiel|beispielsweise|das heißt|genau wie|hinzu"
    r"|im Gegen(?:satz|teil)|weitere[rsmn]?|(?:der|das|die|eine?) (?:Grund|Problem|Lösung|Antwort"
    r"|Frage|Unterschied|andere[rsn]?|zweite|dritte|gleiche|folgenden?|obigen?|weitere[rs]?)"
)
_ROMANCE = (
    r"ce(?:s|t|tte|la|ci)?|ils?|elles?|mais|donc|ainsi|cependant|toutefois|en effet|de plus|par"
    r" exemple|est[aeo]s?|es[ae]s?|ellos?|pero|además|así|por ejemplo|sin embargo|también"
    r"|por (?:eso|ello|tanto)"
)
_CHINESE = (
    "这|這|那|此|该|該|其|它|他|她|两者|兩者|二者|三者|前者|后者|後者|上述|以上|如上|如下|另|也|还|還|"
    "又|则|則|但|而|并|並|和|与此|與此|或者|及其|以及|即|是(?!否)|不过|不過|然而|因此|因而|于是|於是|所以|"
    "故|由此|从此|從此|为此|為此|据此|據此|对此|對此|在此|至此|同年|同时|同時|当时|當時|后来|後來|随后|隨後|"
    "之后|之後|接着|接著|最后|最後|最终|最終|首先|其次|再次|再者|然后|然後|事实上|事實上|实际上|實際上|总之|"
    "總之|换句话说|換句話說|也就是说|也就是說|例如|比如|譬如|如历史|如歷史|相反|反之|否则|否則|相比之下|除此|"
    "同样|同樣|类似地|類似地|一方面|尤其|特别是|特別是|期间|期間|在位期|(?:在|从|從|对|對|由|根据|根據|与|與)[这這该該此那其]"
)
_JAPANESE = (
    "これ|それ|あれ|この|その|あの|こう|そう|ここ|そこ|しかし|また|そして|ただ|さらに|例えば|たとえば|同様|"
    "同(?:じ|社|氏|年|書)|上記|前述|前者|後者|両者|一方|他方|逆に|つまり|すなわち|したがって|従って|よって|"
    "なお|ちなみに|次に|まず|最後に|それでも|だが|けれど|なので|だから|では|でも|とはいえ|別の言い方|"
    "言い換え|実際には|もちろん|はい。|いいえ|というのは|ところが|を|[はがに、](?![ぁ-ん])"
)
_KOREAN = (
    "이는|이것|이를|이에|이러한|그러나|그리고|그런데|그래서|그것|그는|그녀|그들|또한|하지만|따라서|한편|"
    "예를"
)

_BEGINS = re.compile(rf"(?:{_ENGLISH}|{_GERMAN}|{_ROMANCE})\b|{_CHINESE}|{_JAPANESE}|{_KOREAN}")
"""A word at the beginning that joins, or stands for what was named before."""

_SECOND = re.compile(
    # a preposition or conjunction, and soon what stands for something
    r"(?:(?:in|from|of|for|with|by|to|at|on|after|before|apart|because|given|unlike|like|among"
    r"|between|within|during|despite|through|under|over|if|when|while|since|as|once|although"
    r"|though|until|unless|without|upon|beyond) (?:\w+ ){0,3}?"
    r"(?:them|it|him|her|he|she|they|these|those|such|their|its|his|this)"
    r"|(?:wenn|falls|weil|obwohl|nachdem|bevor|bei|mit|von|für|aus|in|an|auf|nach|seit|durch)"
    r" (?:er|sie|ihm|ihn|ihnen|dies\w{0,3}|solche\w?)"
    # one word, and what stands for something: "Soak it", "Sometimes they"
    r"|\w+ (?:it|them|they|he|she|him))\b(?! (?:is|was|has been) \w+ (?:that|to)\b)"
    r"|[^\x00-\x7f，。、其他她它]{1,5}[其他她它](?![他她它余餘实實中次])"
)
"""What stands for something named before, right behind the first words."""

_SELF = (
    r"(?:paper|document|book|work|study|guide|manual|handbook|article|report|chapter"
    r"|thesis|tutorial|review|handout|publication|collection|specification|policy|lecture"
    r"|course|talk|presentation|essay)"
)
_SELBST = (
    r"(?:Dokument|Buch|Handbuch|Artikel|Bericht|Anleitung|Kapitel|Abschnitt|Text|Arbeit|Leitfaden"
    r"|Seite)"
)
_POINTING = re.compile(
    r"\b(?:(?:this|these|those|such)(?: an?)?(?: same| very| exact)? "
    rf"(?!as\b|that\b|section\b|{_SELF}\b"
    r"|(?:is|are|was|were|who|of|which|in|with|from|for|to|on|at|by|can|could|may|will|would"
    r"|should|has|have|had|and|or|do|does|did|means?|days?|year|country|century)\b)"
    r"(?:[\w-]+(?<!ly) )??"
    rf"|diese[rsmn]? (?!{_SELBST}))(?P<named>\w+)"
)
_EAST_POINTING = re.compile(
    r"(?:(?<![应應])[该該](?![当當死])"
    r"|(?<![，,、；：:「“])[这這](?:[个個些种種类類项項次一]|一[个個种種])?(?![样樣里裡裏是也就不])"
    r"|[こそ](?:の|れらの|のような|うした)"
    r"(?!マニュアル|文書|本|章|節|ガイド|ページ|論文|他|ため|後|時|場合|よう|まま))"
    r"(?P<named>\w\w)"
)
"""A pointing word with the word it points with, which may stand earlier in the sentence."""

_JOINS_SOON = re.compile(
    r"(?<=[^,;:()] )(?:therefore|thus|hence|however|moreover|furthermore|nevertheless"
    r"|consequently|accordingly|instead|likewise|similarly|meanwhile|otherwise|conversely|too"
    r"|(?<!but )also(?! (?:known|called|referred|termed|named|spelled|written)))\b"
    r"|^(?!if|when|once|as|since)(?:[\w-]+ ){1,5}then\b|^[^,]{0,50}\b(?:dessen|deren)\b"
    r"|^(?:\w+ ){1,4}(?:auch|jedoch|allerdings|daher|deshalb|somit|dagegen|hingegen|ebenfalls|zudem"
    r"|außerdem|dann)\b"
    r"|^(?![\x00-\x7f]{8})[^，,。]{2,8}?(?<!不但)(?<!不仅)(?<!不僅)(?:也|还|還|則|则)(?![是有]?[可许許])"
)
"""A joining adverb before the sentence has said anything."""

_OF_ITSELF = re.compile(
    rf"in (?:this|the present) (?:[\w-]+ ){{0,4}}?{_SELF}\b"
    rf"|(?:this|the present) (?:[\w-]+ ){{0,4}}?{_SELF} (?:\w+ly )?"
    r"(?!is (?:an?|one|the|part)\b)\w+s\b"
    r"|the (?:purpose|aim|goal) of this"
    rf"|(?:in )?diese[rsm]? {_SELBST}"
    r"|(?:dans )?(?:ce|cet|cette) (?:document|livre|rapport|article|guide)"
    r"|(?:en )?este (?:documento|libro|informe|artículo)"
    r"|.{0,4}(?:(?<![日版样樣脚腳原资資基])本[份篇部本]?|[这這此][份篇部本]|[这這此该該](?!文件))"
    r"(?:文|书|書|手册|手冊|指南|文档|文檔|文件|报告|報告|规范|規範|教程)"
    r"|この(?:マニュアル|文書|本|ガイド|論文|報告書|記事)|本(?:書|稿|論文)[はで]"
    r"|이 (?:문서|책|논문|보고서|글)|본 (?:연구|논문|보고서)"
)
