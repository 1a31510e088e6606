"""The soundness traps that other tools fell into, each with the programs of tests/ptx/small that stand for it.

`tests/proofs/test_small_programs.py` runs the programs; here stands which of them must come out how, so that a program
that is renamed, dropped or given a milder expectation is noticed.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.proofs.test_small_programs import PROGRAMS

ROOT = Path(__file__).resolve().parents[2]
EXPECT = {case.path.stem: case.expect for case in PROGRAMS}

# What must not come out as proved: program, and the obligation that is refuted ("!" before one that is never proved).
FAULTS = {
    "an atomic beside a plain load": ["atomic_beside_plain_load race"],
    "shuffles, votes, matrix loads order no memory": [
        "shuffle_orders_no_memory race", "vote_orders_no_memory race", "ldmatrix_overwritten_at_once race",
    ],
    "ldmatrix reads for every lane of the warp": ["ldmatrix_reads_for_the_warp race"],
    "two groups at two barriers are not ordered": ["barriers_of_two_groups race"],
    "bar.arrive is one-sided": ["one_sided_barrier race", "consumer_only_arrives race"],
    "a block size between the multiples": ["halves_of_a_symbolic_block race"],
    "a commit or a wait under a guard": ["copy_committed_by_some race", "copy_waited_for_by_some race"],
    "facts do not survive a write": ["table_of_indices_rewritten bounds", "table_rewritten_then_used bounds"],
    "words of warps that the block does not have": ["words_of_missing_warps init"],
    "packing observes the whole number": ["packing_sees_the_whole_number no-wrap"],
    "split-K with fewer parts than are reduced": ["eight_parts_of_seven_added_up bounds"],
    "two forks append to one shared page": ["forks_append_to_one_page single-writer"],
    "a trap on the path": ["trap_on_the_way no-trap"],
    "an empty domain": ["nothing_to_do !bounds", "contradictory_launch bad-input"],
    "an instruction that is not understood": [
        "unknown_instruction_of_an_unset_register !race", "index_of_an_unknown_instruction !bounds",
        "function_not_in_the_file !race", "shared_address_in_generic_space !race",
    ],
    "bounds are checked without being asked": ["negative_index bounds", "loaded_index bounds"],
    "pointers that may be the same": ["two_pointers_to_one_place race", "table_that_may_overlap bounds"],
    "no lockstep of a warp": ["no_lockstep race"],
    "a shuffle in divergent code": ["shuffle_in_divergent_code barrier", "shuffle_in_divergent_loop barrier"],
    "a full mask in part of a warp": ["full_mask_in_a_partial_warp barrier"],
    "an exit before a barrier": ["return_before_barrier barrier", "exit_before_barrier barrier"],
    "a barrier in rounds that differ by thread": [
        "barrier_in_divergent_loop barrier", "barrier_in_rounds_that_differ barrier",
    ],
    "the hazard over the back edge": ["hazard_over_the_back_edge race", "warp_private_memory_over_the_back_edge race"],
    "a wait before its commit": ["copy_waited_for_too_early race", "copy_never_committed race"],
    "a ring reused while a copy is in flight": [
        "ring_reused_in_flight race", "copy_overwritten_in_flight race", "copy_source_written_in_flight race",
        "ring_of_three_wait_too_lax race", "ring_of_three_stage_too_early race",
    ],
    "products of 32 bits in addresses of 64": ["product_of_32_bits no-wrap", "product_inside_the_buffer no-wrap"],
    "an index narrowed on its way": ["narrowed_index no-wrap"],
    "a wrap inside the buffer": ["product_inside_the_buffer single-writer", "wrap_inside_the_buffer single-writer"],
    "an overhang into the next row": ["tile_over_the_row_end bounds", "rows_of_constant_length_overhang single-writer"],
    "one more or less than whole tiles": [
        "vector_over_an_odd_end bounds", "vector_of_odd_rows bounds", "covers_vectors_only coverage",
        "batch_of_matrices_overhang bounds", "ring_with_a_short_prologue init",
    ],
    "the last round of a loop left by threads in different rounds": ["exit_round_by_thread single-writer"],
    "what a compiler has taken out of a loop": [
        "rounds_counted_ahead_of_a_lax_guard bounds", "rounds_counted_ahead_of_a_size_that_grows bounds",
        "rounds_counted_ahead_and_used_besides no-wrap",
    ],
    "an array that a loop fills up to some size": [
        "filled_in_steps_one_short init", "filled_in_steps_too_wide init", "filled_in_steps_from_the_second init",
        "filled_in_steps_without_a_barrier race",
    ],
    "a guard that wraps": ["guard_that_wraps no-wrap"],
    "a hash on its way to an address or a guard": [
        "hash_as_an_index no-wrap", "hash_chooses_an_address no-wrap", "hash_guards_a_move no-wrap",
        "hash_through_shared_memory no-wrap", "hash_through_a_shuffle no-wrap", "hash_in_a_table_of_two_names no-wrap",
        "hash_counts_rounds no-wrap", "one_value_but_for_a_wrap single-writer",
    ],
    "what is made of a register that was not written": [
        "undefined_value_stored init", "undefined_value_decides init", "undefined_value_guards init",
        "undefined_value_addresses init", "undefined_value_added_to_memory init", "undefined_value_selected init",
        "undefined_value_that_selects init", "undefined_value_voted init", "undefined_value_names_a_lane init",
        "undefined_value_multiplied init", "undefined_value_after_rounds init", "undefined_count_of_rounds init",
        "undefined_value_of_the_round_before init", "undefined_value_overwritten_in_part init",
    ],
    "what a shuffle brings from a lane that has no value": [
        "reduction_one_step_too_wide init", "reduction_that_all_lanes_store init", "reduction_of_the_second_warp init",
        "reduction_downwards_past_the_end init", "reduction_that_some_lanes_leave_out !bounds",
    ],
    "one word of shared memory that is not one value": [
        "shared_value_loaded_without_a_barrier race", "shared_value_stored_with_ones_own race",
        "shared_values_summed_in_rounds_that_differ race", "shared_values_summed_from_ones_own race",
        "shared_values_swapped_in_rounds race", "shared_value_behind_a_branch_of_some race",
        "barrier_by_a_shared_value_of_the_other_round barrier", "barrier_by_a_shared_value_that_is_written race",
        "one_value_by_two_warps_and_a_read race",
    ],
    "a launch that no hardware takes": ["contradictory_launch bad-input"],
    "values that only look the same": [
        "one_word_by_32_lanes_of_their_own single-writer", "one_sum_and_ones_own race",
        "butterfly_of_another_value race",
    ],
    "shadowed registers": ["shadowed_register single-writer"],
    "dynamic shared memory has the bytes of the launch": [
        "extent_of_dynamic_shared_memory bounds", "race_in_dynamic_shared_memory race",
        "two_names_of_dynamic_memory bad-input",
    ],
    "atomics and plain writers": ["atomic_beside_a_plain_store race", "counter_read_plainly race"],
    "the read-only path": ["nc_load_of_what_is_written !race"],
    "in place": ["in_place_neighbour race"],
    "vectors align to their whole width": ["vector_of_odd_rows bounds", "vector_with_whole_multiples proved"],
    "shifts by the width or more": ["shift_by_the_width single-writer"],
    "signed against unsigned": [
        "unsigned_view_of_a_negative proved", "unsigned_view_of_a_negative_let_through bounds",
        "signs_by_a_bitwise_and bounds", "unsigned_countdown no-trap",
    ],
    "fields of bits": ["fields_overlapping single-writer", "bytes_permuted_once bounds"],
    "counts of a barrier": ["barrier_for_96_of_64 barrier", "producer_waits_at_the_wrong_barrier barrier"],
    "a vote at a barrier": ["barrier_by_a_vote_of_the_warp !barrier", "barrier_by_an_older_vote_of_the_block !barrier"],
    "covered, but never there": ["covers_behind_a_divergent_barrier !coverage"],
}  # fmt: skip

# Tests that stand for a trap where no program of PTX can: the function must exist.
ELSEWHERE = {
    "a table changed between the host's check and the launch":
        "tests/backend/test_emulator_device.py test_a_launch_reads_the_contents_that_were_checked_and_no_others",
    "what ptxas refuses is bad input": "tests/proofs/test_check.py test_a_file_that_ptxas_refuses_is_bad_input",
    "two artifacts swapped": "tests/verifier/test_tampering.py test_two_queries_swapped_are_noticed",
    "shf, prmt, bfe, lop3, mul24 mean what the emulator does": "tests/proofs/test_isa_agreement.py test_constants",
    "register ranges": "tests/spec/test_ptx_parser.py test_register_ranges_expand",
    "names in nested scopes": "tests/spec/test_ptx_parser.py test_shadowed_names_become_unique",
}

SOUND = [
    "eight_parts_of_eight_added_up", "forks_append_to_pages_of_their_own",
    "exchange_across_barrier", "two_writers_in_two_phases", "barrier_after_divergent_loop", "halves_of_a_block_of_256",
    "copy_and_commit_of_some", "in_place_update", "generic_address_of_shared", "ring_of_three_stages",
    "barrier_by_a_vote_of_the_block", "shadowed_register_repaired", "gather_through_a_block_table", "signed_countdown",
    "shared_word_by_32_lanes", "not_equal_guard", "return_before_barrier_allowed", "hash_stored",
    "random_numbers_stored", "reduction_by_four_lanes", "undefined_value_masked_by_a_predicate",
    "rounds_counted_ahead_of_the_guard", "filled_in_steps_read_by_fours",
    "undefined_value_of_a_round_dropped", "shared_values_summed_in_rounds", "barrier_by_a_shared_value",
]  # fmt: skip


@pytest.mark.parametrize("trap", FAULTS)
def test_the_trap_has_a_program_that_falls_into_it(trap: str) -> None:
    for line in FAULTS[trap]:
        name, obligation = line.split()
        expect = EXPECT[name]
        if obligation == "bad-input":
            assert "bad-input" in expect, name
        elif obligation == "proved":
            assert set(expect.values()) == {"proved"}, name
        elif obligation.startswith("!"):
            assert expect[obligation[1:]] in {"refuted", "unknown", "open"}, name
        else:
            assert expect[obligation] == "refuted", f"{name}: {obligation} must be refuted"


@pytest.mark.parametrize("trap", ELSEWHERE)
def test_the_trap_has_a_test_of_its_own(trap: str) -> None:
    path, name = ELSEWHERE[trap].split()
    tree = ast.parse((ROOT / path).read_text())
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


@pytest.mark.parametrize("name", SOUND)
def test_what_is_sound_is_proved(name: str) -> None:
    assert set(EXPECT[name].values()) == {"proved"}
