"""What was typed and not sent: kept for its owner alone, and gone with its run."""

from typing import Any

from tests.unit.api.serving import Server, settled, start

KEY = "plan:入金::node:確認/1::v2"


def test_a_draft_is_its_owners_until_it_is_reset(guarded: Server) -> None:
    address = f"/api/v1/drafts/{KEY}"
    with guarded.client("aoki") as owner, guarded.client("baba") as other:
        assert owner.get(address).json() == {"content": None}
        assert owner.put(address, json={"values": {"理由": "研修"}}).status_code == 204
        assert owner.get(address).json()["content"] == {"values": {"理由": "研修"}}
        assert other.get(address).json() == {"content": None}
        assert other.delete(address).status_code == 204
        assert owner.get(address).json()["content"] is not None
        assert owner.delete(address).status_code == 204
        assert owner.get(address).json() == {"content": None}
        assert owner.put(address, json=["no", "object"]).status_code == 422


def test_what_was_noted_of_a_run_goes_with_it(local: Server) -> None:
    with local.client() as client:
        run: dict[str, Any] = settled(client, start(client, "ledger", entries=1)["run_id"])
        address = f"/api/v1/drafts/run:{run['run_id']}::marks"
        client.put(address, json={"1": {"accepted": True}})
        assert client.delete(f"/api/v1/runs/{run['run_id']}").status_code == 204
        assert client.get(address).json() == {"content": None}
