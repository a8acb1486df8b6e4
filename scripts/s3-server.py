# An S3 server for tests: OpenStack Swift (Debian's python3-swift) with its s3api, as one process with one device, whose
# objects are in memory. Started by services.mjs.
#
#   python3 s3-server.py <folder> <port> <user> <secret>       the access key is test:<user>

import os
import sys

import eventlet

eventlet.monkey_patch()
from eventlet import wsgi

folder, port, user, secret = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4]

PROXY = f"""
[DEFAULT]
swift_dir = {folder}
log_level = ERROR
[pipeline:main]
pipeline = catch_errors gatekeeper s3api tempauth copy slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:catch_errors]
use = egg:swift#catch_errors
[filter:gatekeeper]
use = egg:swift#gatekeeper
[filter:s3api]
use = egg:swift#s3api
# For addresses such as http://bucket.s3.test.
storage_domain = s3.test
# As Amazon has it; Swift's own limit is 1,000.
max_upload_part_num = 10000
# Small pages, so that a few objects fill several.
max_bucket_listing = 20
max_parts_listing = 20
[filter:tempauth]
use = egg:swift#tempauth
user_test_{user} = {secret} .admin
[filter:copy]
use = egg:swift#copy
[filter:slo]
use = egg:swift#slo
max_manifest_segments = 10000
"""


def write(name, text):
    path = os.path.join(folder, name)
    with open(path, "w") as file:
        file.write(text)
    return path


# Swift reads its folder when it is imported, so the folder is made and named first.
os.mkdir(os.path.join(folder, "device"))
write("swift.conf", "[swift-hash]\nswift_hash_path_suffix = test\n")
from swift.common import storage_policy, utils

utils.set_swift_dir(folder)
storage_policy.reload_storage_policies()

from swift.account.server import app_factory as account_server
from swift.common.ring import RingBuilder
from swift.common.wsgi import loadapp
from swift.container.server import app_factory as container_server
from swift.obj.mem_server import app_factory as object_server


class Silent:
    def write(self, text):
        pass

    def flush(self):
        pass


class Forgetful:
    """Stands for memcached, which tempauth asks for: nothing is cached, so nothing is stale."""

    def get(self, key, **options):
        return None

    def set(self, key, value, **options):
        pass

    def delete(self, key, **options):
        pass

    def incr(self, key, delta=1, **options):
        return delta


def start(name, factory):
    socket = eventlet.listen(("127.0.0.1", 0))
    own = socket.getsockname()[1]
    builder = RingBuilder(1, 1, 0)
    builder.add_dev(
        {
            "id": 0,
            "region": 1,
            "zone": 1,
            "weight": 1.0,
            "ip": "127.0.0.1",
            "port": own,
            "replication_ip": "127.0.0.1",
            "replication_port": own,
            "device": "device",
        }
    )
    builder.rebalance()
    builder.get_ring().save(os.path.join(folder, f"{name}.ring.gz"))
    app = factory(
        {"swift_dir": folder, "devices": folder, "mount_check": "false", "log_level": "ERROR"}
    )
    eventlet.spawn(wsgi.server, socket, app, Silent())


start("account", account_server)
start("container", container_server)
start("object", object_server)
proxy = loadapp(write("proxy-server.conf", PROXY))


def app(environment, start_response):
    environment["swift.cache"] = Forgetful()
    return proxy(environment, start_response)


socket = eventlet.listen(("127.0.0.1", port))
print("ready to accept connections", flush=True)
wsgi.server(socket, app, Silent())
