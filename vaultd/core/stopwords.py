"""Words that bind or are too general to name anything, for choosing terms and sentences."""

from __future__ import annotations

_ENGLISH = """
multiple distinct relevant corresponding additional overall numerous a about above across after
again against all almost along already also although always am among an and another any anyone
anything are around as at away back be became because become becomes been before began behind being
below best better between beyond both but by came can cannot certain come comes could did different
do does doing done down due during each either else enough especially even ever every everything
example few fewer first five for four from full further gave get gets give given gives go goes
going gone good got great had has have having he hence her here hers him himself his how however i
if in including indeed instead into is it its itself just keep kept kind know known large last
later least less let like likely little long look made mainly make makes making many may me means
might more most mostly much must my myself near need needed needs neither never new next no none
nor not nothing now of off often old on once one only onto or other others otherwise our ours out
over own part particular per perhaps possible put quite rather really same said saw say says second
see seem seems seen set several shall she should show shown shows similar simply since small so
some something sometimes soon still such take taken takes tell ten than that the their theirs them
themselves then there thereby therefore these they thing things think this those though thousand
three through throughout thus to today together told too took toward towards two typical typically
under unless until up upon us use used useful uses using usually various very via want was way ways
we well went were what whatever when where whether which while who whole whom whose why will with
within without would yes yet you your yours able based called consider current currently describe
described find found follow following follows high higher important include included includes
increase involve low lower main major number obtain particularly perform provide provided provides
recent relate related require required requires respectively result resulting significant simple
single specific specified step steps support supported total true type types vs whereas work worked
works year years day days time times people man men e.g i.e etc et al fig figure table section
chapter page appendix non ll ve re don didn doesn isn won hand eyes don't didn't doesn't isn't
can't won't it's that's i'm you're he'd she'd they're ask asks asked jan feb mar apr jun jul aug
sep sept oct nov dec january february march april june july august september october november
december monday tuesday wednesday thursday friday saturday sunday mr mrs ms dr
"""
_GERMAN = """
aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bin bis bist
da dabei dadurch dafür damit dann daran darauf daraus das dass dazu dein dem den denn der deren des
dessen die dies diese diesem diesen dieser dieses doch dort durch ein eine einem einen einer eines
einige er es etwa etwas euch für gegen gibt habe haben hat hatte hatten hier hin hinter ich ihm ihn
ihnen ihr ihre ihrem ihren ihrer im in ist ja jede jedem jeden jeder jedes jedoch kann kein keine
können man mehr mein mit muss müssen nach neben nicht nichts noch nun nur ob oder ohne sehr sein
seine seinem seinen seiner seit sich sie sind so sogar soll sollen sondern sowie über um und uns
unser unter viel viele vom von vor war waren was weil weiter welche welcher wenn wer werden wie
wieder will wir wird wo wurde wurden zu zum zur zwar zwei zwischen allerdings anschließend außerdem
bereits beispielsweise bestimmte bestimmten bitte daher derzeit deshalb dritte dritten ebenfalls
ebenso einfach einzelne einzelnen erste ersten erster falls folgende folgenden ganze ganzen
gegebenenfalls große großen gute guten herkömmliche hierbei hierfür immer insbesondere jeweilige
jeweiligen kleine kleinen meist meisten mögliche möglichen möglicherweise nachdem natürlich neue
neuen neuer neues nächste nächsten normalerweise obwohl schließlich sobald solange somit sonst
tatsächlich trotzdem verschiedene verschiedenen während weitere weiteren weiterer wichtig wichtige
wichtigen zudem zunächst zusätzlich zusätzliche zweite zweiten üblicherweise
"""
_FRENCH = """
à ai alors après au aucun aussi autre autres aux avant avec avoir ainsi beaucoup bien ce cela celle
celui ces cet cette ceux chaque comme d'un d'une dans de depuis des deux donc dont du elle elles en
encore entre est et été être eu fait faire il ils j'ai je l'on la le les leur leurs lors lui mais
même mêmes moins ne ni non nos notre nous on ont ou où par parce pas pendant peu peut peuvent plus
plusieurs pour pourquoi quand que quel quelle quelles quels qui sa sans se selon ses si sinon soit
son sont sous sur ta te tes ton tous tout toute toutes très tu un une vos votre vous y
"""
_SPANISH = """
a al algo algunas algunos ante antes aquel aunque así bajo bien cada como con contra cual cuando
cómo de del desde donde dos durante e el ella ellas ellos en entre era es esa esas ese eso esos
esta estaba están estar estas este esto estos está fue fueron ha había han hasta hay la las le les
lo los más mi mientras muy nada ni no nos o otra otras otro otros para pero poco por porque pues
que qué quien se sea ser si sido sin sobre son su sus también tan tanto tiene tienen toda todas
todo todos tras u un una unas uno unos y ya
"""
FUNCTION_WORDS = {
    "en": frozenset(_ENGLISH.split()),
    "de": frozenset(_GERMAN.split()),
    "fr": frozenset(_FRENCH.split()),
    "es": frozenset(_SPANISH.split()),
}
STOP_WORDS = frozenset().union(*FUNCTION_WORDS.values())
"""No name of anything begins or ends with one of these."""

_GENERIC = """
court market balance guard logo headquarters ability access action activity addition address
advantage amount analysis answer application applications approach area areas argument article
aspect attention author authors average background basis behavior behaviour benefit body book
boundary case cases cause center change changes character class code collection column command
comment company component components concept condition conditions configuration content context
control copy cost count country course data date default definition degree description design
detail details development device difference direction directory discussion distance document
documents edition effect effects element elements end entry environment error evaluation event
evidence experiment experiments explanation fact factor factors feature features field file files
form format framework function functions future game goal group groups guide guideline guidelines
half head history home house idea ideas image implementation individual information input instance
institute interest introduction issue issues item items job key knowledge language languages law
learning length level levels life limit line link list lot machine management manual material
measure member memory message method methods model models module moment month name names nature
news note notes object objects office operation operations option options order organization output
overview package paper paragraph parameter parts party path performance period person phase place
plan point points policy position power practice problem problems procedure process processes
product program programs project property proposal purpose quality question questions range rate
reason record reference region relation release report request requirement requirements research
resource resources response rest results return right role room row rule rules run sample scale
scheme science score section sector sense sentence sequence series service services setting
settings shape side sign site situation size software solution source sources space speed stage
standard standards start state states statement status story strategy structure student study
subject summary surface system systems task tasks team technique techniques technology term terms
test tests text theory title tool tools top topic topics training unit update usage user users
value values variable version view voice volume website week window word words world writing
abstract conclusion authority official public private general common local global human real actual
original final initial basic complete entire open free available necessary sure clear hard easy
early late left white black red blue green email e-mail www web american british english french
german chinese japanese russian european spanish italian dutch western eastern northern southern
north south east west christian interactive click button
"""
_GENERIC_CHINESE = """
方法 系统 系統 数据 數據 文件 文档 文檔 问题 問題 内容 內容 信息 資訊 用户 用戶 使用 功能 程序 程式
命令 服务 服務 时间 時間 名称 名稱 类型 類型 结果 結果 过程 過程 操作 管理 配置 设置 設置 选项 選項
参数 參數 代码 代碼 版本 工具 支持 支援 描述 说明 說明 示例 例子 列表 部分 方式 情况 情況 目标 目標
目录 目錄 路径 路徑 执行 執行 处理 處理 运行 運行 实现 實現 安装 安裝 更新 输入 輸入 输出 輸出 对象
對象 项目 專案 软件 軟件 软件包 格式 标准 標準 环境 環境 网络 網路 设备 設備 计算 計算 计算机 電腦
变量 變量 函数 函數 返回 定义 定義 结构 結構 模式 模型 组件 組件 模块 模組 接口 介面 文本 字符 字段
表格 页面 頁面 链接 連結 分析 生成 创建 建立 删除 刪除 修改 查看 添加 包含 需要 可以 进行 進行 相关
相關 主要 重要 基本 一般 不同 特定 所有 其他 其它 多个 多個 单个 第一 第二 第三 可能 能够 能夠 应该
應該 必须 必須 通过 通過 根据 根據 关于 關於 例如 比如 以及 或者 如果 因为 因為 所以 但是 然后 然後
之后 之後 之前 以下 以上 其中 这个 這個 这些 這些 那个 那個 一个 一個 一种 一種 我们 我們 他们 他們
自己 没有 沒有 不是 就是 已经 已經 目前 现在 現在 作者 公司 国家 國家 工作 研究 学习 學習 发展 發展
技术 技術 作用 特点 特點 原因 影响 影響 提供 采用 採用 由于 由於 对于 對於 为了 為了 基于 基於 具有
存在 开始 開始 完成 本文 本章 本节 本節 概述 总结 總結 结论 結論 简介 簡介 文件名 行为 行為 状态
狀態 检查 檢查 请求 請求 响应 響應 读取 讀取 写入 寫入 场合 情報 場合 必要 利用 作成 設定 機能 実行
サポート ソフトウェア ハードウェア アプリケーション プログラム 利用可能 方法 場所 問題 ビット
処理 説明 変更 追加 指定 対応 開発 種類 目的 次 上記 下記 それぞれ インストール イメージ メディア
コピー デフォルト バージョン プロジェクト リリース マニュアル メモリ ディレクトリ システム データ
ファイル ユーザ ユーザー ページ コマンド オプション 今回 一部 全体 自体 自动 自動 直接 手动 默认
預設 当前 當前 原始 完整 简单 簡單 核心 全部 最后 最後 最大 最小 最终 最終 名字 数量 數量 数字 位置
表示 选择 提示 注意 警告 如下所示 如下 所示 请参阅 参阅 参考 一览 安装过程 生成器 步骤 步驟 流程
新版本 發行 发行 阶段 階段 关键 關鍵 概念 实体 策略 规则 規則 字符串 返回值 入口 分类 分類
"""
_GENERIC_GERMAN = """
aktualisierung anforderung anforderungen beschreibung betriebssystem dokumentation entwicklung
informationen information installation konfiguration möglichkeit möglichkeiten schwierigkeiten
unterstützung veränderung veränderungen voraussetzung voraussetzungen zusammenarbeit zusammenhang
e-mail einführung handbuchseite kommunikation verwendung veröffentlichung veröffentlichungen
zusammenfassung
"""
_GENERIC_KOREAN = """
경우 내용 방법 문제 사용 기능 시스템 데이터 파일 정보 결과 대한 위한 통해 따라 있는 있다 하는 한다
그리고 그러나 이러한 또한 것으로 수 등 및 때문에 관련 전체 기타 가능 이상 이하 년 월 일
"""
GENERIC = frozenset((_GENERIC + _GENERIC_CHINESE + _GENERIC_GERMAN + _GENERIC_KOREAN).split())
"""Too general to be a page by itself; fine inside a longer term."""
