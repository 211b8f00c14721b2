"""The order example through a client that openapi-generator has generated from the OpenAPI document."""

import json
import os
import sys
import time

import client
from client.exceptions import ConflictException

url, shop, definition = os.environ["MILLRACE_URL"], os.environ["SHOP_URL"], os.environ["DEFINITION"]
configuration = client.Configuration(host=url)
with client.ApiClient(configuration) as connection:
    credentials = client.LoginRequest(email=os.environ["MILLRACE_EMAIL"], password=os.environ["MILLRACE_PASSWORD"])
    configuration.access_token = client.IdentityApi(connection).login(credentials).access_token
    workflows, runs, jobs = (api(connection) for api in (client.WorkflowsApi, client.RunsApi, client.JobsApi))
    name = workflows.create_workflow(json.loads(definition)).name
    try:
        workflows.create_workflow(json.loads(definition))
        raise AssertionError("created twice")
    except ConflictException as again:
        assert again.data.code == "workflow_exists", again
    asked = client.StartRunRequest(input={"orderId": "1001", "shopUrl": shop})
    run = runs.start_run(name, start_run_request=asked)
    deadline = time.monotonic() + 60
    while run.finished_at is None:
        assert time.monotonic() < deadline, run
        time.sleep(0.2)
        run = runs.get_run(run.id)
    assert run.status == "succeeded", run
    assert run.output == {"orderId": "1001", "receipt": "R-7"}, run.output
    assert [task.key for task in run.tasks] == ["fetch-order", "process-payment", "send-notification"], run.tasks
    found = runs.list_runs(workflow=name, status=["succeeded", "failed"])
    assert [each.id for each in found.items] == [run.id], found
    deadline = time.monotonic() + 20
    while len(jobs.list_jobs(run=run.id).items) != 3:
        assert time.monotonic() < deadline, "the record of the jobs is late"
        time.sleep(0.2)
sys.stdout.write("openapi-generator: the order is paid\n")
