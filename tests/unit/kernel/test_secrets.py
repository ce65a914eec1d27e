import base64
import json
import logging
import threading
from urllib.parse import quote

import pytest

from sanbo.kernel.problems import InvalidInput
from sanbo.kernel.secrets import MASK, RedactingFilter, protect, redact, redact_json
from sanbo.kernel.text import matching_form


def test_known_secrets_and_keys_by_their_shape_are_masked() -> None:
    protect("kabushiki-himitsu-42")
    assert redact("x kabushiki-himitsu-42 y") == "x **** y"
    assert redact("sk-abcdefghijklmnopqrstuvwx") == "****"
    assert redact("Authorization: Bearer abcdefghijklmnop123456") == "Authorization: Bearer ****"
    assert redact("AIza" + "b" * 35) == "****"


def test_ordinary_words_are_left_alone() -> None:
    protect("unused")
    text = "unused task-force sk-1 と 旅費精算書"
    assert redact(text) == text


def test_a_problem_holds_no_secret_wherever_it_was_put() -> None:
    protect("naisho-no-kagi")
    problem = InvalidInput(
        "run_not_found",
        run_id="naisho-no-kagi",
        details={"deep": [{"naisho-no-kagi": ("naisho-no-kagi", b"x")}]},
        input_snapshot={"key": "naisho-no-kagi"},
    ).problem
    assert "naisho" not in problem.model_dump_json()


def test_logs_hold_no_secret_in_message_arguments_or_traceback(
    caplog: pytest.LogCaptureFixture,
) -> None:
    protect("log-ni-deta-kagi")
    logger = logging.getLogger("test.redacted")
    logger.addFilter(RedactingFilter())
    try:
        raise ValueError("log-ni-deta-kagi")
    except ValueError:
        logger.exception("failed with %s", "log-ni-deta-kagi")
    assert "log-ni-deta-kagi" not in caplog.text
    assert "ValueError: ****" in caplog.text


def test_matching_form_makes_spellings_of_one_word_equal() -> None:
    assert matching_form("ＡＢＣ　株式会社") == matching_form("abc  株式会社")
    assert matching_form("ｶﾌﾞｼｷ") == matching_form("カブシキ")


def test_a_log_record_whose_arguments_do_not_fit_is_kept_and_masked() -> None:
    protect("hen-na-hikisuu-kagi")
    record = logging.LogRecord("x", 20, "", 0, "%d of %d", ("hen-na-hikisuu-kagi",), None)
    assert RedactingFilter().filter(record)
    assert "%d of %d" in record.getMessage()
    assert "hen-na" not in record.getMessage()


def test_a_problem_may_name_a_file_whose_name_is_no_text() -> None:
    problem = InvalidInput("run_not_found", run_id="\udc83\udc81.csv").problem
    assert "??.csv" in problem.model_dump_json()


def test_a_secret_is_masked_in_every_spelling() -> None:
    secret = 'zq7"Kv\\8秘wR2'
    protect(secret)
    inner = [json.dumps({"key": secret}, ensure_ascii=plain) for plain in (True, False)]
    login = base64.b64encode(f"user:{secret}".encode()).decode()
    for text in [secret, *inner, repr(secret), quote(secret), login]:
        for plain in (True, False):
            written = redact(json.dumps({"text": text}, ensure_ascii=plain))
            assert MASK in json.loads(written)["text"]


def test_a_key_of_several_lines_is_masked_line_by_line() -> None:
    lines = ["MIIEvQIBADANBgkqhkiG9w0", "AQEFAASCBKcwggSjAgEAAoI"]
    protect("\n".join(lines))
    assert redact(f"line {lines[1]}") == f"line {MASK}"


def test_secrets_may_be_added_while_others_are_masked() -> None:
    adding = threading.Thread(
        target=lambda: [protect(f"added-meanwhile-{number}") for number in range(50)]
    )
    adding.start()
    while adding.is_alive():
        assert redact("nothing in here") == "nothing in here"


def test_json_stays_json_where_a_secret_is_a_number() -> None:
    protect("4711081547110815")
    written = redact_json(
        '{"a": 4711081547110815, "b": "no 4711081547110815", "c": 94711081547110815}'
    )
    assert json.loads(written) == {"a": MASK, "b": f"no {MASK}", "c": 94711081547110815}
