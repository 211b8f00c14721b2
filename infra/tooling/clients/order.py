"""The order example through a client that openapi-python-client has generated from the OpenAPI document."""

import json
import os
import sys
import time

from client import AuthenticatedClient, Client
from client.api.identity import login
from client.api.jobs import list_jobs
from client.api.runs import get_run, list_runs, start_run
from client.api.workflows import create_workflow
from client.models import (
    CreateWorkflowJsonBody,
    ListRunsStatusItem,
    LoginRequest,
    Problem,
    StartRunRequest,
)

url, shop, definition = os.environ["MILLRACE_URL"], os.environ["SHOP_URL"], os.environ["DEFINITION"]


def expect(response, status):
    assert response.status_code == status, (response.status_code, response.content)
    return response.parsed


tokens = expect(
    login.sync_detailed(
        client=Client(base_url=url),
        body=LoginRequest(email=os.environ["MILLRACE_EMAIL"], password=os.environ["MILLRACE_PASSWORD"]),
    ),
    200,
)
client = AuthenticatedClient(base_url=url, token=tokens.access_token)
body = CreateWorkflowJsonBody.from_dict(json.loads(definition))
name = expect(create_workflow.sync_detailed(client=client, body=body), 201).name
again = expect(create_workflow.sync_detailed(client=client, body=body), 409)
assert isinstance(again, Problem) and again.code == "workflow_exists", again
asked = StartRunRequest.from_dict({"input": {"orderId": "1001", "shopUrl": shop}})
run = expect(start_run.sync_detailed(name, client=client, body=asked), 202)
deadline = time.monotonic() + 60
while run.finished_at is None:
    assert time.monotonic() < deadline, run
    time.sleep(0.2)
    run = expect(get_run.sync_detailed(run.id, client=client), 200)
assert run.status == "succeeded", run
assert run.output == {"orderId": "1001", "receipt": "R-7"}, run.output
assert [task.key for task in run.tasks] == ["fetch-order", "process-payment", "send-notification"], run.tasks
found = expect(
    list_runs.sync_detailed(client=client, workflow=name, status=[ListRunsStatusItem.SUCCEEDED, ListRunsStatusItem.FAILED]),
    200,
)
assert [each.id for each in found.items] == [run.id], found
deadline = time.monotonic() + 20
while len(expect(list_jobs.sync_detailed(client=client, run=run.id), 200).items) != 3:
    assert time.monotonic() < deadline, "the record of the jobs is late"
    time.sleep(0.2)
sys.stdout.write("openapi-python-client: the order is paid\n")
