"""The faults that were observed in the peer, each with the tests of ours that would fail if we had it too.

The numbers are those of the list beside the peer's recorded answers. A name that no test bears fails here, so that a
fault cannot lose its test by a renaming.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

FAULTS: dict[int, tuple[str, ...]] = {
    1: ("test_does_not_resolve", "test_every_question_of_the_peer"),
    2: ("test_every_question_of_the_peer",),
    3: ("test_bergmann_owes_what_is_published",),
    4: ("test_overdue_at_a_date", "test_the_book_at_a_date", "test_sql_agrees_with_an_obvious_model_of_a_ledger"),
    5: ("test_every_question_of_the_peer",),
    6: ("test_the_as_of_date_is_today_unless_something_sets_it",),
    7: ("test_every_question_of_the_peer",),
    8: ("test_currencies_are_never_added",),
    9: ("test_credits_are_shown_and_reduce_the_open_balance_only",),
    10: ("test_what_is_no_receivable_never_counts_and_is_said",),
    11: ("test_what_is_no_calendar_date_is_refused",),
    12: ("test_malformed_dates_are_listed_and_abort_nothing",),
    13: ("test_totals_and_rows_come_from_one_snapshot", "test_a_total_that_differs_from_its_rows_is_refused"),
    14: ("test_beyond_two_to_the_53_nothing_is_rounded",),
    15: ("test_date_columns_do_not_shift_with_the_servers_time_zone",),
    16: ("test_does_not_resolve",),
    17: ("test_several_are_never_resolved_by_picking", "test_resolves"),
    18: ("test_resolves", "test_both_engines_answer_alike"),
    19: ("test_two_hundred_calls_at_once", "test_many_at_once_are_all_recorded"),
    20: ("test_four_programs_at_once", "test_several_servers_write_one_log"),
    21: ("test_a_path_that_is_not_there_is_not_made", "test_a_cut_tail_is_not_claimed_to_be_seen"),
    22: ("test_a_record_rewritten_with_a_fitting_hash_breaks_the_link",),
    23: ("test_text_that_json_cannot_hold_is_recorded_and_said_so",),
    24: (
        "test_what_is_declined_is_a_tool_error_in_our_words_and_recorded",
        "test_a_refusal_is_recorded_with_its_reason",
    ),
    25: ("test_a_figure_cites_its_rows_and_not_everybodys",),
    26: ("test_a_figure_is_claimed_where_it_stands", "test_every_value_of_the_sample_cites_its_own_rows"),
    27: ("test_the_recorded_query_is_the_one_behind_the_total",),
    28: ("test_links_and_records_resolve", "test_the_whole_catalog_is_published"),
    29: ("test_memory_does_not_grow_with_the_log", "test_an_export_is_the_log"),
    30: ("test_a_database_that_does_not_answer_exits_2_and_no_password_is_shown",),
    31: ("test_what_does_not_exist_is_not_found", "test_an_odd_name_is_found_whole"),
    32: ("test_malformed_lines_are_answered_and_delay_nothing", "test_what_is_not_a_message_is_answered"),
    # 33 is of a server on the network: there is none yet.
    34: ("test_a_question_of_30_megabytes_costs_nothing",),
    35: (
        "test_seeding_refuses_a_database_with_tables_of_someone_else",
        "test_a_database_laid_out_like_nothing_known_says_what_it_lacks",
    ),
    36: ("test_a_role_that_may_only_read_is_enough",),
    37: ("test_a_lost_connection_is_an_error_and_the_next_call_connects_again",),
    38: ("test_the_log_is_never_in_the_erp",),
}


def names_of_tests(root: Path) -> set[str]:
    found = set()
    for file in (root / "tests").rglob("test_*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
                found.add(node.name)
    return found


@pytest.mark.parametrize("fault", sorted(FAULTS))
def test_every_fault_of_the_peer_has_a_test(root: Path, fault: int) -> None:
    missing = set(FAULTS[fault]) - names_of_tests(root)
    assert not missing, f"fault {fault} lost its test"
