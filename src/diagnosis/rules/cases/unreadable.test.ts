/** Tests what is said of files that are there and that a user may not read, and of folders of claims that are mounted beside. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

const users = (
  source: object,
  user: object,
  line: string,
  exitCode = 1,
  keys: readonly string[] = ['passwd'],
): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'auth', mountPath: '/broker/auth' }] },
    spec: { volumes: [{ name: 'auth', secret: { secretName: 'users', ...source } }], securityContext: user },
    status: crashed({ exitCode }),
  }),
  logs: lastWords('1795832361: broker version 2.0.11 starting', line),
  configs: [{ kind: 'Secret', name: 'users', state: 'found', keys }],
});
const OPEN = '1795832361: Error: Unable to open pwfile "/broker/auth/passwd".';
const USER = { runAsUser: 123, runAsGroup: 123 };

const unreadable: readonly Case[] = [
  [
    'a Secret that its user may not read',
    users({ defaultMode: 0o400 }, USER, OPEN, 13),
    'permission-denied',
    /^container web may not read \/broker\/auth\/passwd as user 123, as volume auth \(Secret users\) has the mode 0400 and its pod has no fsGroup: Error: Unable to open pwfile "\/broker\/auth\/passwd"$/,
    [/spec\.securityContext\.runAsUser: 123/],
  ],
  [
    'a key of it with a mode of its own',
    users({ items: [{ key: 'passwd', path: 'passwd', mode: 0o600 }] }, USER, OPEN, 13),
    'permission-denied',
    /as volume auth \(Secret users\) has the mode 0600 and its pod has no fsGroup/,
  ],
  [
    'a configuration, in other words',
    users({ defaultMode: 0o440 }, USER, "FATAL: could not load users from '/broker/auth/passwd'"),
    'permission-denied',
    /may not read \/broker\/auth\/passwd as user 123, as volume auth \(Secret users\) has the mode 0440/,
  ],
  ['one that everybody may read', users({}, USER, OPEN), 'exit-code', /Unable to open pwfile .*is of Secret users$/],
  [
    'one that the group of the pod may read',
    users({ defaultMode: 0o400 }, { ...USER, fsGroup: 123 }, OPEN),
    'exit-code',
    /Unable to open pwfile .*is of Secret users$/,
  ],
  [
    'one that root reads',
    users({ defaultMode: 0o400 }, { runAsUser: 0 }, OPEN),
    'exit-code',
    /Unable to open pwfile .*is of Secret users$/,
  ],
  [
    'one whose user is not known',
    users({ defaultMode: 0o400 }, {}, OPEN),
    'exit-code',
    /Unable to open pwfile .*is of Secret users$/,
  ],
  [
    'one that may be read by the group of root',
    users({ defaultMode: 0o440 }, { runAsUser: 123 }, OPEN),
    'exit-code',
    /Unable to open pwfile .*is of Secret users$/,
  ],
  [
    'one that the Secret does not have',
    users({ defaultMode: 0o400 }, USER, OPEN, 1, ['password']),
    'exit-code',
    /Unable to open pwfile .*has only password$/,
  ],
];

const readOnly = (mounts: readonly object[], line: string): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [...mounts] as never, securityContext: { readOnlyRootFilesystem: true } },
    spec: {
      volumes: [
        { name: 'data', persistentVolumeClaim: { claimName: 'data-series-0' } },
        { name: 'tmp', emptyDir: {} },
      ],
    },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(line),
});
const BESIDE = [
  { name: 'data', mountPath: '/var/lib/series2' },
  { name: 'tmp', mountPath: '/tmp' },
];
const MKDIR = 'run: create server: mkdir all: mkdir /var/lib/series/meta: read-only file system';

describe('files that a user may not read', () => {
  tellsEach(unreadable);
});

describe('a claim beside the folder that is written', () => {
  const first = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings[0];
  it('is named, and is to be mounted there', () => {
    const found = first(readOnly(BESIDE, MKDIR));
    expect(found?.says).toBe(
      'container web cannot write /var/lib/series/meta: the file system is read-only (readOnlyRootFilesystem); its claim data-series-0 is mounted at /var/lib/series2',
    );
    expect(found?.manifest).toContain('- name: data\n    mountPath: /var/lib/series\n');
    expect(found?.manifest).not.toContain('emptyDir');
  });
  it.each([
    ['of a deeper folder', 'open /var/lib/series/meta/a.db: read-only file system'],
    ['of another parent with the same name', 'open /data/series2/a.db: read-only file system'],
  ])('%s', (_what, line) => {
    const { says, manifest } = first(readOnly(BESIDE, line)) ?? {};
    expect(says).toContain('its claim data-series-0 is mounted at /var/lib/series2');
    expect(manifest).toMatch(/mountPath: (?:\/var\/lib\/series|\/data\/series2)\n/);
  });
  it('has nothing to do with a folder for scratch', () => {
    const { says, manifest } = first(readOnly(BESIDE, 'open /run/a.pid: read-only file system')) ?? {};
    expect(says).not.toContain('claim');
    expect(manifest).toContain('mountPath: /run\nvolumes:\n- name: scratch\n  emptyDir: {}');
  });
  it('leaves no advice to lose data, where it is elsewhere', () => {
    const { manifest } = first(readOnly(BESIDE, 'open /var/lib/ledger/a.db: read-only file system')) ?? {};
    expect(manifest).toBeUndefined();
  });
});
