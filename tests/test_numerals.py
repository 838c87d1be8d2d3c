"""Numbers written for people."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rocstar import TableEncoder
from rocstar.tables.model import TableModel
from rocstar.tables.model_files import load, save
from rocstar.tables.numerals import notation_of

WRITTEN = {
    "percent": (["45,3 %", "7 %", "12,25%"], [45.3, 7, 12.25]),
    "dollars": (["$ 1,234.00", "$5.10", "-$3", "($ 1,200.50)"], [1234, 5.1, -3, -1200.5]),
    "euros": (["1.234,50 €", "0,99 €", "12 €", "0"], [1234.5, 0.99, 12, 0]),
    "parentheses": (["(1,200)", "350", "1,000"], [-1200, 350, 1000]),
    "spaces": (["1 234", "12,5", "1\u202f000\u00a0000"], [1234, 12.5, 1e6]),
    "apostrophes": (["CHF 1'234.50", "CHF 12"], [1234.5, 12]),
    "lakhs": (["1,23,456", "12,345", "1,00,00,000"], [123456, 12345, 1e7]),
    "points": (["1.234", "1.234.567"], [1234, 1234567]),
    "minus signs": (["-5", "−3", "+2"], [-5, -3, 2]),
    "plain": (["1.5", "2", "3e5"], [1.5, 2, 3e5]),
    "numbers among text": ([1, "2,5", 2.25], [1, 2.5, 2.25]),
    "decimal comma, as 2345 is not 2,345": (["1,234", "2345", "3,5"], [1.234, 2345, 3.5]),
    "ambiguous but for 2345": (["1,234", "2345", "950"], [1.234, 2345, 950]),
    "ambiguous but for 0": (["0,123", "1,234"], [0.123, 1.234]),
    "ambiguous": (["1,234", "12,345", "950"], [1234, 12345, 950]),
    "many": ([*(f"{k},500" for k in range(1, 50)), "1234"], [*range(1500, 50_000, 1000), 1234]),
}


@pytest.mark.parametrize("texts", WRITTEN)
def test_one_convention_holds_for_the_whole_column(texts):
    written, numbers = (pd.Series(part, dtype=object) for part in WRITTEN[texts])
    np.testing.assert_allclose(notation_of(written).numbers(written), numbers.astype(float))


NO_UNIT = ["$5|€7", "45 %|0.45", "ABC12|ABC13", "12:30|9:15", "1-2|3-4", "(5|6)"]
NO_NUMBERS = ["1.2.3|1.2.4", "1,5|2.5", "red|blue", "1.5|two", "unknown"]


@pytest.mark.parametrize("texts", NO_UNIT + NO_NUMBERS)
def test_text_is_no_number(texts):
    assert notation_of(pd.Series(texts.split("|"))) is None


def encoded(texts) -> tuple[TableEncoder, np.ndarray]:
    encoder = TableEncoder()
    return encoder, encoder.fit_transform(pd.DataFrame({"x": texts}))


def test_a_column_says_how_its_numbers_were_read():
    encoder, matrix = encoded(["1.234,50 €", "0,99 €", "12 €", None, "2.000,00 €"])
    np.testing.assert_array_equal(matrix[:, 0], [1234.5, 0.99, 12, np.nan, 2000])
    column = encoder.columns_[0]
    assert (column.type, column.missing, column.distinct) == ("number", 1, 4)
    assert (column.treatment, column.flags) == ("converted to numbers", ("converted",))
    assert column.notes == (
        "read as numbers (decimal comma and point between thousands): `1.234,50 €` is 1234.5",
    )


@pytest.mark.parametrize("wrong", [1, 3])
def test_a_few_values_that_are_no_numbers_are_counted(wrong):
    encoder, matrix = encoded([f"{k},5" for k in range(97)] + ["abc"] * wrong + ["unknown"] * 20)
    assert np.isnan(matrix).sum() == wrong + 20
    told = {1: "1 value that is not a number counts", 3: "3 values that are not numbers count"}
    assert encoder.columns_[0].notes[1] == f"{told[wrong]} as missing"


def test_too_many_values_that_are_no_numbers_make_a_category():
    encoder, _ = encoded([f"{k},5" for k in range(60)] + ["abc"] * 10)
    assert encoder.columns_[0].type == "category"


def test_points_between_thousands_that_were_read_as_decimals_are_doubted():
    amounts = (np.random.default_rng(0).exponential(5000, 200)).round()
    german = [float(f"{amount:,.0f}".replace(",", ".")) for amount in amounts]
    encoder, _ = encoded(german)
    assert "decimals look like thousands" in encoder.columns_[0].notes[0]
    for other in (amounts / 1000, amounts, amounts / 7, (amounts / 1000).round(2)):
        assert encoded(other)[0].columns_[0].notes == ()


def test_numbers_as_text_keep_their_precision():
    _, matrix = encoded(["16777217", "16777219", "0.1"])
    assert matrix[:, 0].tolist() == [16777217, 16777219, 0.1]


def test_new_tables_are_read_like_the_first_also_after_saving(tmp_path):
    encoder, _ = encoded(["1,234", "12,345", "950"])
    save(TableModel.of_parts(encoder, None), tmp_path / "model.skops")
    new = pd.DataFrame({"x": ["2,500", "7", "n/a", "1.234,5", "(1,000)"]})
    for known in (encoder, load(tmp_path / "model.skops").encoder_):
        read = known.transform(new)[:, 0]
        np.testing.assert_array_equal(read, [2500, 7, np.nan, np.nan, -1000])
        assert known.transform(pd.DataFrame({"x": [2500.0]})).item() == 2500
