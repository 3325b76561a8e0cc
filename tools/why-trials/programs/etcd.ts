/** Trials of etcd. */
import type { Trial } from '../trial.ts';

const base = { program: 'etcd', run: 'exec etcd --data-dir /data/etcd', before: 'true' };

export const etcd: readonly Trial[] = [
  {
    ...base,
    name: 'port-taken',
    family: 'port',
    before: 'nohup nc -lk 127.0.0.1 2379 >/dev/null 2>&1 & sleep 0.3',
    truth: { ids: ['port-in-use'], must: ['2379'] },
  },
  {
    ...base,
    name: 'peer-port-taken',
    family: 'port',
    before: 'nohup nc -lk 127.0.0.1 2380 >/dev/null 2>&1 & sleep 0.3',
    truth: { ids: ['port-in-use'], must: ['2380'] },
  },
  {
    ...base,
    name: 'data-denied',
    family: 'permission',
    user: 1000,
    before: 'mkdir -p /data/etcd; chmod 700 /data/etcd',
    truth: { ids: ['permission-denied', 'exit-code'], must: ['/data/etcd'] },
  },
  {
    ...base,
    name: 'read-only',
    family: 'permission',
    before: 'mount -t tmpfs -o ro none /data',
    truth: { ids: ['read-only-file-system'], must: ['/data/etcd'] },
  },
  {
    ...base,
    name: 'unknown-flag',
    family: 'config',
    run: 'exec etcd --data-dirr /data/etcd',
    truth: { ids: ['exit-code', 'bad-argument'], must: ['data-dirr'] },
  },
  {
    ...base,
    name: 'bad-url',
    family: 'config',
    run: 'exec etcd --listen-client-urls 0.0.0.0:2379',
    truth: { ids: ['exit-code', 'bad-argument', 'malformed-config'], must: [] },
  },
  {
    ...base,
    name: 'advertise-missing',
    family: 'config',
    run: 'exec etcd --listen-client-urls http://0.0.0.0:2379',
    truth: { ids: ['exit-code', 'bad-argument', 'missing-setting'], must: ['advertise-client-urls'] },
  },
  {
    ...base,
    name: 'certificate-missing',
    family: 'tls',
    run: 'exec etcd --data-dir /data/etcd --cert-file /etc/tls/tls.crt --key-file /etc/tls/tls.key --listen-client-urls https://127.0.0.1:2379 --advertise-client-urls https://127.0.0.1:2379',
    truth: { ids: ['missing-setting'], must: ['/etc/tls/tls.crt'] },
  },
  {
    ...base,
    name: 'corrupt-database',
    family: 'data',
    before:
      'mkdir -p /data/etcd/member/snap /data/etcd/member/wal; echo none > /data/etcd/member/snap/db; echo none > /data/etcd/member/wal/0000000000000000-0000000000000000.wal; chmod -R 700 /data/etcd',
    truth: { ids: ['exit-code', 'corrupt-data'], must: [] },
  },
  {
    ...base,
    name: 'config-missing',
    family: 'file',
    run: 'exec etcd --config-file /etc/app/etcd.yaml',
    truth: { ids: ['missing-setting'], must: ['/etc/app/etcd.yaml'] },
  },
  {
    ...base,
    name: 'config-malformed',
    family: 'config',
    run: 'exec etcd --config-file /etc/app/etcd.yaml',
    files: { 'etc/app/etcd.yaml': 'name: a\n  data-dir: b\n' },
    truth: { ids: ['malformed-config'], must: [] },
  },
  {
    ...base,
    name: 'name-not-in-cluster',
    family: 'config',
    run: 'exec etcd --name a --data-dir /data/etcd --initial-cluster b=http://127.0.0.1:2380',
    truth: { ids: ['exit-code', 'bad-argument', 'malformed-config'], must: ['initial cluster'] },
  },
];
