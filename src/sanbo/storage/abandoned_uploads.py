"""Unfinished uploads in parts, of processes that were killed: S3 keeps, and charges for, them.

obstore has no way to list them. Azure drops such parts after a week; Google's buckets, and S3's,
do so by a rule of theirs.
"""

import re
from datetime import UTC, datetime, timedelta
from os import environ
from typing import Any
from urllib.parse import urlsplit

from botocore.config import Config
from botocore.session import Session

ABANDONED = timedelta(hours=6)
"""Longer than any upload takes that is still under way somewhere."""
_OURS = re.compile(r"[0-9a-f]{2}/[0-9a-f]{64}", re.ASCII)


def abort_abandoned(url: str, older_than: timedelta = ABANDONED) -> int:
    """Those of blobs below this address; how many they were."""
    place = urlsplit(url)
    if place.scheme != "s3":
        return 0
    prefix = f"{place.path.strip('/')}/".removeprefix("/")
    session: Any = Session()  # it has no types
    client = session.create_client(
        "s3",
        region_name=environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION") or "us-east-1",
        config=Config(connect_timeout=5, read_timeout=20, retries={"max_attempts": 2}),
    )
    before, count = datetime.now(UTC) - older_than, 0
    pages = client.get_paginator("list_multipart_uploads")
    for page in pages.paginate(Bucket=place.hostname, Prefix=prefix):
        for upload in page.get("Uploads", ()):
            is_ours = _OURS.fullmatch(upload["Key"].removeprefix(prefix)) is not None
            if is_ours and upload["Initiated"] <= before:
                named = {"Key": upload["Key"], "UploadId": upload["UploadId"]}
                client.abort_multipart_upload(Bucket=place.hostname, **named)
                count += 1
    return count
