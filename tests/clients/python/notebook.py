"""What a client program writes down: one JSON object for each check."""

import datetime
import decimal
import json
import os
import sys
import traceback

HOST = os.environ["WEIR_HOST"]
PORT = int(os.environ["WEIR_PORT"])
USER = os.environ["WEIR_USER"]
PASSWORD = os.environ["WEIR_PASSWORD"]
SHARDED = os.environ["WEIR_SHARDED"]
PASSED = os.environ["WEIR_PASSED"]
AUTHORITY = os.environ["WEIR_AUTHORITY"]
STRANGER = os.environ["WEIR_STRANGER"]
FOLDER = os.environ["WEIR_FOLDER"]
SKIP = set(os.environ.get("WEIR_SKIP", "").split(","))


def plain(value):
    """A value as JSON can hold it, with its Python type where JSON would lose it."""
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return {"set": sorted(map(str, value))}
    if isinstance(value, (bytes, bytearray)):
        return {"bytes": bytes(value).hex() if len(value) <= 200 else f"{len(value)} bytes"}
    if isinstance(value, str) and len(value) > 2000:
        return {"text": f"{len(value)} characters", "begins": value[:20]}
    if isinstance(value, (decimal.Decimal, datetime.date, datetime.datetime, datetime.timedelta)):
        return {type(value).__name__: str(value)}
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    return repr(value)


class Notebook:
    """Runs checks and writes what they saw."""

    def __init__(self):
        self.count = 0

    def check(self, name, function, *arguments):
        """Runs one check; it gets `saw`, to be called with whatever is to be the same on both sides."""
        if name in SKIP:
            return
        self.count += 1
        seen = []
        line = {"check": name, "saw": seen}
        try:
            function(lambda *values: seen.append(plain(values[0] if len(values) == 1 else values)), *arguments)
        except Exception as error:  # whatever a driver may raise
            line["unexpected"] = f"{type(error).__name__}: {error}"
            traceback.print_exc()
        print(json.dumps(line), flush=True)

    def skip(self, reason):
        """This client does not run here."""
        print(json.dumps({"check": "skipped", "saw": reason}), flush=True)
        raise SystemExit(0)

    def close(self):
        """The last line tells that the program came to its end."""
        print(json.dumps({"check": "end", "saw": self.count}), flush=True)
        sys.stdout.flush()
