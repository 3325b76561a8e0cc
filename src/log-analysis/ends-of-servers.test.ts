/** Ends of logs as programs print them whose decisive line stands apart: below a pointer, before a cascade, over several lines. */
import { expect, it } from 'vitest';
import { decisiveLine } from './index.ts';

it.each<[string, string, RegExp]>([
  [
    'the line to which another one points',
    'ERROR: [1] bootstrap checks failed. You must address the points described in the following [1] lines before starting Elasticsearch.\nbootstrap check failure [1] of [1]: max virtual memory areas vm.max_map_count [65530] is too low, increase to at least [262144]\nERROR: Elasticsearch did not exit normally - check the logs at /usr/share/elasticsearch/logs/docker-cluster.log',
    /vm\.max_map_count \[65530\] is too low/,
  ],
  [
    'the part that failed by itself, and not those that depend on it',
    'level=error ts=2026-01-31T07:02:19.1Z caller=loki.go:517 msg="module failed" module=memberlist-kv error="starting module memberlist-kv: failed to create memberlist: No private IP address found, and explicit IP not provided"\nlevel=error ts=2026-01-31T07:02:19.2Z caller=loki.go:517 msg="module failed" module=ring error="failed to start ring, because it depends on module memberlist-kv, which has failed: invalid service state: Failed"\nlevel=error ts=2026-01-31T07:02:19.3Z caller=loki.go:517 msg="module failed" module=distributor error="failed to start distributor, because it depends on module ring, which has failed: context canceled"\nlevel=info ts=2026-01-31T07:02:19.4Z caller=loki.go:500 msg="Loki stopped"',
    /No private IP address found/,
  ],
  [
    'a term over several lines',
    '=INFO REPORT==== 31-Jan-2026::10:00:00.000000 ===\nBOOT FAILED\n===========\nError during startup: {error,\n                          {schema_integrity_check_failed,\n                              [{table_attributes_mismatch,rabbit_queue}]}}',
    /schema_integrity_check_failed, \[\{table_attributes_mismatch,rabbit_queue\}\]/,
  ],
  [
    'the fields of a model, each with its mistake',
    "pydantic_core._pydantic_core.ValidationError: 2 validation errors for Settings\ndatabase_url\n  Field required [type=missing, input_value={}, input_type=dict]\n    For further information visit https://errors.pydantic.dev/2.5/v/missing\nworkers\n  Input should be a valid integer [type=int_parsing, input_value='four', input_type=str]\n    For further information visit https://errors.pydantic.dev/2.5/v/int_parsing",
    /2 validation errors for Settings: database_url \(Field required\), workers \(Input should be a valid integer\)$/,
  ],
  [
    'a migration whose details are no work',
    'ERROR: Validate failed: Migrations have failed validation\nMigration checksum mismatch for migration version 3\n-> Applied to database : -1234567\n-> Resolved locally    : 7654321\nEither revert the changes to the migration, or run repair to update the schema history.',
    /checksum mismatch for migration version 3/,
  ],
  [
    'a level that is a word of the sentence',
    'E0101 10:00:00.000000       1 main.go:112] error during command execution: unable to load in-cluster configuration',
    /^error during command execution: unable to load/,
  ],
  [
    'a program that a supervisor cannot start',
    "2026-01-31 07:38:28,155 INFO supervisord started with pid 1\n2026-01-31 07:38:29,158 INFO spawned: 'x' with pid 7\n2026-01-31 07:38:30,159 INFO success: x entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)\n2026-01-31 07:38:30,160 INFO spawnerr: can't find command '/opt/app/serve'\n2026-01-31 07:38:30,160 INFO gave up: web entered FATAL state, too many start retries too quickly\n2026-01-31 07:38:32,163 WARN received SIGTERM indicating exit request\n2026-01-31 07:38:32,163 INFO waiting for x to die\n2026-01-31 07:38:32,163 INFO exited: x (exit status 0; expected)",
    /can't find command '\/opt\/app\/serve'/,
  ],
  [
    'the reason that the system gave, in the line above of the same program',
    'beanstalkd: walg.c:416 in waldirlock: open: No such file or directory\nbeanstalkd: serv.c:24 in srv_acquire_wal: failed to lock wal dir /data/binlog',
    /failed to lock wal dir \/data\/binlog \(open: No such file or directory\)$/,
  ],
  [
    'the reason of the same moment, above a line that only says where',
    '2026/01/31 07:39:48| ACL not found: localnets\n2026/01/31 07:39:48| FATAL: Bungled /c/squid.conf line 3: http_access allow localnets\n2026/01/31 07:39:48| Squid Cache (Version 5.7): Terminated abnormally.\nCPU Usage: 0.017 seconds = 0.000 user + 0.017 sys',
    /Bungled \/c\/squid\.conf line 3: http_access allow localnets \(ACL not found: localnets\)/,
  ],
  [
    'a program that a supervisor cannot start, of one that serves',
    "2026-01-31 08:11:15,781 CRIT Server 'unix_http_server' running without any HTTP authentication checking\n2026-01-31 08:11:15,782 INFO supervisord started with pid 1\n2026-01-31 08:11:16,787 INFO spawnerr: can't find command '/opt/worker/run.sh'\n2026-01-31 08:11:17,788 INFO success: web entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)\n2026-01-31 08:11:20,041 INFO spawnerr: can't find command '/opt/worker/run.sh'\n2026-01-31 08:11:20,041 INFO gave up: worker entered FATAL state, too many start retries too quickly",
    /can't find command '\/opt\/worker\/run\.sh'/,
  ],
  [
    'the call that failed, and not the queue of errors above it',
    '[ ] Loading private key from file: /tls/stunnel.pem\n[:] Insecure file permissions on /tls/stunnel.pem\n[!] Unhandled error library: 60\n[!] error queue: ../ssl/ssl_rsa.c:385: error:0A080009:SSL routines::PEM lib\n[!] SSL_CTX_use_PrivateKey_file: ../crypto/encode_decode/decoder_lib.c:103: error:1E08010C:DECODER routines::unsupported\n[!] Service [redis]: Failed to initialize TLS context\n[!] Configuration failed\n[ ] Deallocating temporary section defaults\n[ ] Deallocating section [redis]',
    /^SSL_CTX_use_PrivateKey_file/,
  ],
  [
    'the root cause of a lock that nobody has',
    'java.lang.IllegalStateException: failed to obtain node locks, tried [/srv/es/data]; maybe these locations are not writable or multiple nodes were started on the same data path?\nLikely root cause: java.nio.file.AccessDeniedException: /srv/es/data/node.lock\n\tat java.base/sun.nio.fs.UnixException.translateToIOException(UnixException.java:90)\nERROR: Elasticsearch did not exit normally - check the logs at /srv/es/logs/docker-cluster.log',
    /AccessDeniedException: \/srv\/es\/data\/node\.lock/,
  ],
])('%s', (_, log, wanted) => {
  expect(decisiveLine(log.split('\n'))?.line).toMatch(wanted);
});
