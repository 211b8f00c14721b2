"""Loaded by Schemathesis (SCHEMATHESIS_HOOKS)."""

import atexit
import os
from collections import Counter

import requests
import schemathesis
from schemathesis.core import NOT_SET

# Ids of the caller, its session and its project. Schemathesis feeds ids that it has read to the operations that delete.
OWN = set(os.environ.get("MILLRACE_OWN_IDS", "").split(",")) - {""}
NOBODY = "00000000-0000-7000-8000-000000000000"
ENDS_THE_CALLER = {
    "deleteSession",
    "updateUser",
    "putMember",
    "putMemberById",
    "deleteMember",
    "leaveProject",
    "transferProject",
    "deleteProject",
    "updateProject",
}


@schemathesis.auth(refresh_interval=300, retry_on=[])
class Caller:
    """An access token is good for 15 minutes, and a run may take longer; without one everything would be 401, and pass."""

    refresh_token = os.environ.get("MILLRACE_REFRESH_TOKEN")

    def get(self, case, context):
        url = os.environ["MILLRACE_URL"] + "/api/v1/auth/refresh"
        answer = requests.post(url, json={"refreshToken": self.refresh_token}, timeout=20)
        answer.raise_for_status()
        tokens = answer.json()
        self.refresh_token = tokens["refreshToken"]
        return tokens["accessToken"]

    def set(self, case, data, context):
        case.headers["Authorization"] = f"Bearer {data}"


def is_own(value):
    return isinstance(value, str) and value in OWN


def without_own(values):
    if not isinstance(values, dict) or not any(is_own(value) for value in values.values()):
        return values
    return {name: NOBODY if is_own(value) else value for name, value in values.items()}


@schemathesis.hook
def before_call(context, case, kwargs):
    # Both gateways refuse a GET with a body (400) whatever its path: readers of HTTP disagree on where it ends. The check
    # for methods that a path does not have would send the body of the operation along.
    if case.method.upper() in ("GET", "HEAD"):
        case.body = NOT_SET
    # A QUERY has content, by its definition; Envoy's parser refuses one without as malformed (400), whatever its path.
    if case.method.upper() == "QUERY":
        kwargs["data"] = b"{}"
    # An answer that follows a run lasts as long as the run.
    if isinstance(case.query, dict) and case.query.get("follow") in (True, "true", "True", "1"):
        case.query["follow"] = "false"
    if case.operation.definition.raw.get("operationId") in ENDS_THE_CALLER:
        case.path_parameters = without_own(case.path_parameters)
        case.body = without_own(case.body)


# How many of which: a run of refusals alone would pass as well.
ANSWERS = Counter()


@schemathesis.hook
def after_call(context, case, response):
    ANSWERS[response.status_code] += 1


@atexit.register
def print_answers():
    print("Answers:", ", ".join(f"{status}: {count}" for status, count in sorted(ANSWERS.items())))
