"""Every reported bug that vaultd must survive, and the tests that show that it does.

The ids are those of the list of bug reports that the project was planned with; they are stable.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent

CASES: dict[str, tuple[str, ...]] = {
    # Watcher, scan, queue, scheduler, single instance
    "W01": ("watcher/test_watcher.py::test_burst_of_files_is_queued_once_each_w01",),
    "W04": ("watcher/test_watcher.py::test_mute_watcher_is_found_out_by_the_timed_look_w04",),
    "W07": ("watcher/test_watcher.py::test_touched_files_are_only_hashed_w07",),
    "W09": ("store/test_jobs.py::test_file_that_is_being_read_is_not_queued_twice_w09",),
    "W10": ("store/test_jobs.py::test_queue_survives_a_restart_and_a_second_scan_w10_w27",),
    "W12": (
        "watcher/test_watcher.py::test_slow_writer_gives_one_ingest_of_the_final_bytes_w12",
        "core/test_settle.py::test_any_change_restarts_the_quiet_time_w12",
    ),
    "W14": (
        "watcher/test_watcher.py::test_file_moved_before_its_turn_is_ingested_once_w14",
        "reliability/test_bug_rows.py"
        "::test_what_moves_before_its_turn_is_ingested_where_it_is_w14_w31",
    ),
    "W15": (
        "test_worker.py::test_full_disk_marks_nothing_and_work_goes_on_by_itself_w15",
        "reliability/test_faults.py::test_full_disk_at_some_steps_of_an_ingest_e8",
    ),
    "W18": ("watcher/test_watcher.py::test_folder_moved_out_is_forgotten_file_by_file_w18",),
    "W21": ("vault/test_notices.py::test_watch_limit_means_polling_and_one_hint_w21",),
    "W22": ("watcher/test_watcher.py::test_equal_size_and_restored_time_is_noticed_w22",),
    "W23": ("vault/test_scan.py::test_conflict_copies_of_notes_are_listed_not_read_w23",),
    "W24": (
        "watcher/test_watcher.py::test_own_write_is_known_by_its_content_and_a_later_edit_is_seen",
        "watcher/test_watcher.py::test_written_pages_and_temporary_files_queue_nothing_else_w24",
    ),
    "W25": ("vault/test_scan.py::test_placeholder_is_never_read_w25",),
    "W27": ("store/test_jobs.py::test_queue_survives_a_restart_and_a_second_scan_w10_w27",),
    "W29": (
        "store/test_jobs.py::test_running_job_of_a_dead_process_is_due_in_its_old_place_w29",
        "daemon/test_daemon.py::test_killed_daemon_goes_on_where_it_was_w29_w36",
    ),
    "W30": (
        "publish/test_publish.py::test_death_at_every_third_step_leaves_all_or_nothing",
        "reliability/test_crash_points.py::test_dying_at_a_few_points_and_again_in_the_recovery_a2_a3",
    ),
    "W31": (
        "watcher/test_watcher.py::test_duplicate_of_an_unfinished_source_is_not_called_done_w31",
        "reliability/test_bug_rows.py"
        "::test_what_moves_before_its_turn_is_ingested_where_it_is_w14_w31",
    ),
    "W32": (
        "author/test_model_author.py::test_a_resumed_long_source_asks_only_for_what_is_missing",
    ),
    "W35": ("test_schedule.py::test_clock_uses_utc_only_and_never_drops_a_late_call_w35",),
    "W36": ("vault/test_lock.py::test_lock_file_of_a_dead_process_is_no_obstacle_w36",),
    "W37": ("vault/test_lock.py::test_second_start_is_refused_until_the_first_dies_w36_w37",),
    "W38": ("vault/test_files.py::test_vault_behind_a_link_works_w38",),
    "W40": (
        "daemon/test_daemon.py::test_one_pass_indexes_the_vault_and_a_second_does_nothing_w40",
        "index/test_index.py::test_an_unchanged_file_is_neither_split_nor_embedded_again",
    ),
    "W41": (
        "vault/test_files.py::test_links_out_of_the_vault_are_refused_w41",
        "vault/test_scan.py::test_link_put_in_place_of_a_file_gives_nothing_away_w41",
    ),
    # Document conversion
    "D03": ("reliability/test_bug_rows.py::test_text_inside_boxes_is_read_d03",),
    "D05": ("reliability/test_bug_rows.py::test_documents_read_at_once_keep_their_text_d05",),
    "D07": ("extract/test_converter.py::test_bad_file_fails_and_the_next_one_is_read",),
    "D09": ("extract/test_pdf.py::test_password_is_told_from_permissions",),
    "D10": ("extract/test_pdf.py::test_password_is_told_from_permissions",),
    "D11": (
        "reliability/test_bug_rows.py::test_a_bad_file_among_good_ones_is_named_and_stops_nobody_d11",
    ),
    "D12": (
        "extract/test_plain.py::test_controls_and_lone_surrogates_are_gone",
        "core/test_text.py::test_surrogate_halves_are_joined_and_lone_ones_replaced",
    ),
    "D15": ("core/test_text.py::test_letters_three_places_on_are_found",),
    "D17": ("extract/test_pdf.py::test_two_columns_are_read_one_after_the_other",),
    "D18": ("reliability/test_bug_rows.py::test_right_to_left_text_stays_in_order_d18",),
    "D20": (
        "reliability/test_bug_rows.py::test_a_picture_with_an_inverted_decode_keeps_its_colours_d20",
    ),
    "D21": ("ingest/test_source.py::test_a_file_without_text_reaches_no_author",),
    "D22": ("ingest/test_source.py::test_a_file_without_text_reaches_no_author",),
    "D24": ("extract/test_office.py::test_slide_hiding_places_are_found",),
    "D25": ("extract/test_office.py::test_slide_hiding_places_are_found",),
    "D26": ("extract/test_office.py::test_slide_hiding_places_are_found",),
    "D27": ("extract/test_office.py::test_slide_hiding_places_are_found",),
    "D30": ("extract/test_office.py::test_word_headings_and_lists_keep_their_shape",),
    "D31": ("extract/test_plain.py::test_one_letter_after_many_screens_of_ascii_is_right",),
    "D35": ("extract/test_office.py::test_document_type_is_refused",),
    "D37": ("extract/test_plain.py::test_hostile_text_takes_linear_time",),
    "D38": ("extract/test_plain.py::test_what_cannot_be_read_is_named",),
    "D39": (
        "extract/test_pdf.py::test_half_a_file_is_never_whole",
        "core/test_settle.py::test_incomplete_containers_are_known_d39",
    ),
    # Model replies and API
    "L03": (
        "core/test_listing.py::test_index_lists_every_page_by_kind_and_title",
        "core/test_reply.py::test_a_shape_of_the_wild_is_read_or_refused",
    ),
    "L04": ("author/test_model_author.py::test_a_promised_page_that_does_not_come_is_a_failure",),
    "L05": ("llm/test_faults.py::test_each_fault_leads_to_one_reaction_within_its_time",),
    "L06": ("ingest/test_damaged_replies.py::test_a_reply_that_is_only_thinking_is_no_page",),
    "L08": (
        "llm/test_faults.py::test_a_stream_of_nothing_after_a_long_prompt_means_that_it_was_too_long",
    ),
    "L09": ("llm/test_faults.py::test_a_server_that_keeps_only_the_tail_is_always_caught",),
    "L11": ("llm/test_faults.py::test_each_fault_leads_to_one_reaction_within_its_time",),
    "L12": ("llm/test_faults.py::test_each_fault_leads_to_one_reaction_within_its_time",),
    "L13": ("llm/test_faults.py::test_each_fault_leads_to_one_reaction_within_its_time",),
    "L14": ("llm/test_faults.py::test_each_fault_leads_to_one_reaction_within_its_time",),
    "L15": ("llm/test_faults.py::test_each_fault_leads_to_one_reaction_within_its_time",),
    "L20": ("core/test_plan.py::test_pages_get_their_folder_name_links_and_properties",),
    "L22": ("embed/test_endpoint.py::test_a_text_that_is_too_long_is_shortened",),
    "L23": ("index/test_index.py::test_a_failure_halfway_keeps_what_was_embedded",),
    "L24": ("core/test_reply.py::test_a_path_is_safe_or_refused",),
    "L26": ("embed/test_endpoint.py::test_one_bad_text_costs_only_its_own_vector",),
    # Properties, Markdown, writing into the vault
    "F03": ("core/test_properties.py::test_setting_our_keys_changes_only_our_lines",),
    "F04": ("core/test_plan.py::test_a_persons_words_properties_and_deletions_survive",),
    "F05": ("core/test_properties.py::test_block_that_cannot_be_read_is_refused_with_its_line",),
    "F07": ("core/test_draft.py::test_every_way_to_write_properties_gives_the_same_page",),
    "F09": ("core/test_properties.py::test_values_stay_what_the_person_typed",),
    "F10": ("core/test_properties.py::test_setting_our_keys_changes_only_our_lines",),
    "F12": ("core/test_properties.py::test_added_tag_leaves_the_lines_of_the_others",),
    "F13": ("core/test_properties.py::test_aliases_that_multiply_are_refused_before_they_grow",),
    "F15": (
        "core/test_properties.py::test_splitting_and_joining_gives_the_note",
        "core/test_properties.py::test_what_is_added_ends_its_lines_as_the_note_does_f15",
    ),
    "F18": (
        "core/test_properties.py::test_what_we_emit_reads_back_the_same_in_both_yaml_versions",
    ),
    "F19": ("core/test_names.py::test_every_title_gives_a_valid_and_stable_name",),
    "F21": ("reliability/test_bug_rows.py::test_letters_of_another_form_stay_as_they_are_f21",),
    "F22": (
        "core/test_names.py::test_case_and_unicode_twins_get_a_number",
        "life/test_moving.py::test_a_page_that_changes_only_its_case_keeps_its_record_n14",
    ),
    "F24": ("core/test_names.py::test_titles_become_the_names_people_would_give",),
    "F25": (
        "reliability/test_bug_rows.py::test_ten_saves_of_a_person_are_answered_by_no_write_f25",
    ),
    "F26": ("vault/test_files.py::test_save_by_a_person_wins_f26",),
    "F28": ("daemon/test_daemon.py::test_damaged_database_is_moved_aside_and_made_anew",),
    "F31": ("vault/test_files.py::test_file_held_by_a_scanner_is_tried_for_a_while_f31",),
    "F32": ("vault/test_files.py::test_order_of_a_durable_write_f32",),
    # SQLite, vectors, search
    "S04": (
        "reliability/test_bug_rows.py::test_any_number_of_neighbours_can_be_asked_for_s04_s06",
    ),
    "S05": (
        "search/test_search.py::test_a_rare_filter_is_applied_before_the_nearest_are_cut",
        "reliability/test_bug_rows.py::test_a_rare_filter_finds_its_note_among_many_passages_s05",
    ),
    "S06": (
        "reliability/test_bug_rows.py::test_any_number_of_neighbours_can_be_asked_for_s04_s06",
    ),
    "S07": (
        "reliability/test_bug_rows.py::test_a_driver_without_extensions_finds_the_same_s07",
        "index/test_index.py::test_the_index_heals_after_writes_by_a_program_without_the_extension",
    ),
    "S08": (
        "reliability/test_bug_rows.py"
        "::test_every_connection_has_the_extension_or_answers_without_s07_s08",
    ),
    "S10": ("index/test_index.py::test_a_new_embedder_is_built_beside_the_old_one",),
    "S11": (
        "index/test_index.py::test_replacing_passages_leaves_few_dead_places",
        "reliability/test_database.py"
        "::test_embedding_everything_anew_again_and_again_does_not_grow_the_file_f11",
    ),
    "S12": (
        "index/test_index.py::test_a_vector_without_direction_is_refused",
        "embed/test_endpoint.py::test_vectors_that_cannot_be_meant_are_refused",
    ),
    "S14": ("search/test_search.py::test_short_cjk_and_hyphenated_questions_find_their_note",),
    "S15": ("index/test_index.py::test_damaged_words_are_seen_and_made_again",),
    "S16": (
        "reliability/test_bug_rows.py"
        "::test_threads_that_read_then_write_do_not_lock_each_other_out_s16",
    ),
    "S17": ("vault/test_mounts.py::test_no_wal_and_no_notices_on_shared_disks_s17",),
    "S18": ("vault/test_mounts.py::test_synced_folders_are_known_s18",),
    "S23": ("daemon/test_daemon.py::test_status_counts_what_a_walk_finds_s23",),
    "S24": ("watcher/test_watcher.py::test_every_file_has_a_state_and_a_reason_s24",),
    "S26": ("life/test_rebuild.py::test_a_damaged_word_index_is_filled_again_s26",),
}


@cache
def defined_in(file: str) -> frozenset[str]:
    """Return the names of the tests of a file, without running it."""
    path = TESTS / file
    if not path.is_file():
        return frozenset()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(
        node.name
        for node in ast.walk(tree)
        if isinstance(node, functions) and node.name.startswith("test_")
    )


def missing(names: tuple[str, ...]) -> Iterator[str]:
    """Give those tests that do not exist."""
    for name in names:
        file, _, test = name.partition("::")
        if test not in defined_in(file):
            yield name


@pytest.mark.parametrize("case", CASES)
def test_the_case_has_a_test(case: str) -> None:
    assert CASES[case]
    assert list(missing(CASES[case])) == []


def test_no_row_of_the_list_is_left_out(shared: Path) -> None:
    rows = (shared / "cases/bug_cases.md").read_text(encoding="utf-8")

    assert set(re.findall(r"^\| ([WDLFS]\d\d) \|", rows, re.MULTILINE)) == set(CASES)


def test_the_reliability_page_has_every_promise(shared: Path) -> None:
    asked = (shared / "requirements/reliability.md").read_text(encoding="utf-8")
    page = (TESTS.parent / "docs/reliability.md").read_text(encoding="utf-8")

    wanted = set(re.findall(r"^- \*\*([A-G]\d+)\*\*", asked, re.MULTILINE))
    assert wanted - set(re.findall(r"^\| ([A-G]\d+) \|", page, re.MULTILINE)) == set()
