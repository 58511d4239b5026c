"""Files as spreadsheets and labelling tools leave them: read with what is assumed, or refused in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from voirdire.errors import UserError
from voirdire.opening import open as open_study
from voirdire.study import Study


def opened(folder: Path, text: str, name: str = "export.csv") -> Study:
    (folder / name).write_text(text, encoding="utf-8")
    return open_study(folder / name)


def said(study: Study, words: str) -> bool:
    return any(words in note for note in study.assumptions)


def test_blank_rows_of_a_spreadsheet_are_left_out_and_counted(tmp_path: Path) -> None:
    made = opened(tmp_path, "item,Ann,Ben\nq1,yes,no\nq2,no,no\n,,\n , ,\n")
    assert len(made.ratings) == 4
    assert said(made, "2 blank rows were left out, the first row 4")


def test_a_row_of_a_wide_table_without_an_item_is_one_fault(tmp_path: Path) -> None:
    with pytest.raises(UserError) as mistake:
        opened(tmp_path, "item,Ann,Ben,Cy\nq1,yes,no,yes\n,no,no,yes\n")
    assert str(mistake.value) == "export.csv, row 3, column 'item': is empty; expected a name in every row"


def test_a_question_that_differs_by_item_is_no_metric(tmp_path: Path) -> None:
    rows = "".join(f"q{k},What is {k}?,{'yes' if k % 2 else 'no'},no\n" for k in range(6))
    made = opened(tmp_path, f"Item ID,Question,Ann,Ben\n{rows}")
    assert len(made.metrics) == 1
    assert said(made, "column 'Question' has another value for nearly every item, so it is no metric")


def test_questions_that_items_share_are_metrics(tmp_path: Path) -> None:
    rows = "".join(f"q{k},{ask},ann,{k % 2}\n" for k in range(6) for ask in ("Is it kind?", "Is it true?"))
    made = opened(tmp_path, f"item,question,rater,label\n{rows}")
    assert [metric.name for metric in made.metrics] == ["Is it kind?", "Is it true?"]


def test_columns_of_like_labels_beside_raters_are_metrics(tmp_path: Path) -> None:
    rows = "".join(f"i{k},{who},{1 + k % 5},{1 + (k * 2) % 5}\n" for k in range(10) for who in ("a", "b"))
    made = opened(tmp_path, f"item_id,annotator,helpful,honest\n{rows}")
    assert [metric.name for metric in made.metrics] == ["helpful", "honest"]
    assert len(made.ratings) == 40
    assert said(made, "the columns helpful, honest are taken as one metric each")


def test_a_title_above_the_header_is_named_as_such(tmp_path: Path) -> None:
    with pytest.raises(UserError) as mistake:
        opened(tmp_path, "Export of May\n\nitem_id,rater_id,label\ni1,ann,yes\n")
    assert "the first row has one cell, 'Export of May'" in str(mistake.value)
    assert "remove what stands above the column names" in str(mistake.value)


def test_a_misspelled_column_is_found(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="did you mean 'lable'\\? --column label=lable"):
        opened(tmp_path, "item_id,rater,lable\ni1,ann,yes\n")


def test_decimal_commas_are_numbers_and_stay_as_they_came(tmp_path: Path) -> None:
    made = opened(tmp_path, "item;rater;score\ni1;ann;3,5\ni1;bob;4\ni2;ann;NA\ni2;bob;1,0\n")
    assert made.metrics[0].scale.values == (1.0, 3.5, 4.0)
    assert made.ratings.raw.values[0] == "3,5"
    assert said(made, "decimal comma")


def test_commas_between_words_or_in_a_comma_file_are_no_decimals(tmp_path: Path) -> None:
    words = opened(tmp_path, "item;rater;score\ni1;ann;3,5\ni1;bob;good\n")
    assert words.metrics[0].scale.values is None
    sets = opened(tmp_path, 'item,rater,score\ni1,ann,"3,5"\ni1,bob,"1,2"\n', "sets.csv")
    assert sets.metrics[0].scale.values is None


def test_labels_that_differ_in_case_or_spaces_are_pointed_out(tmp_path: Path) -> None:
    made = opened(tmp_path, "item,rater,label\ni1,ann, Pass\ni1,bob,PASS\ni2,ann,fail\ni2,bob,fail\n")
    assert made.metrics[0].scale.labels == (" Pass", "fail", "PASS")
    assert said(made, "' Pass', 'PASS' are different labels; normalise: [trim, case]")
