/** Tests what is said of the place of data and libraries: the folder, its volume, and the claim behind that. */
import { describe } from 'vitest';
import { crashed, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, tellsEach } from './cases.fixtures.ts';

const claim = { name: 'd', persistentVolumeClaim: { claimName: 'store-0' } };
const out = { name: 'd', emptyDir: {} };

interface Given {
  readonly container?: object;
  readonly volume?: object;
  readonly spec?: object;
  readonly exitCode?: number;
  readonly at?: string;
}

/** A container with a volume at /data that ended with this line. */
const ended = (
  line: string,
  { container = {}, volume = claim, spec = {}, exitCode = 1, at = '/data' }: Given = {},
): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'd', mountPath: at }], ...container },
    spec: { volumes: [volume], ...spec },
    status: crashed({ exitCode }),
  }),
  logs: lastWords(line),
});

const VERSION =
  'FATAL:  database files are incompatible with server (The data directory was initialized by PostgreSQL version 13, which is not compatible with this version 15.1)';
const CHECKPOINT = 'PANIC:  could not locate a valid checkpoint record';

const data: readonly Case[] = [
  [
    'the folder of an option',
    ended(VERSION, { container: { command: ['sh', '-c', 'exec postgres -D /data/pg -k /tmp'] } }),
    'version-mismatch',
    /of another version than its own in \/data\/pg \(volume d, claim store-0\): FATAL/,
  ],
  [
    'the folder of a variable',
    ended(CHECKPOINT, { container: { env: [{ name: 'PGDATA', value: '/data/main/' }] } }),
    'corrupt-data',
    /cannot read its data in \/data\/main \(volume d, claim store-0\), which is damaged: PANIC/,
  ],
  [
    'another option of another server',
    ended("Can't handle RDB format version 12", { container: { args: ['--dir', '/data/kv'] } }),
    'version-mismatch',
    /in \/data\/kv \(volume d, claim store-0\): /,
  ],
  [
    'the only claim, where nothing names a folder',
    ended(CHECKPOINT),
    'corrupt-data',
    /its data in \/data \(volume d, claim store-0\), which/,
  ],
  [
    'a claim of the pod alone',
    ended(CHECKPOINT, { volume: { name: 'd', ephemeral: { volumeClaimTemplate: { spec: {} } } } }),
    'corrupt-data',
    /its data in \/data \(volume d, claim web-1-d\), which/,
  ],
  [
    'a volume that is no claim',
    ended(CHECKPOINT, { container: { args: ['--datadir=/data'] }, volume: out }),
    'corrupt-data',
    /its data in \/data \(volume d\), which/,
  ],
  [
    'the file that the line names',
    ended('sqlite3.DatabaseError: /data/a.db: file is not a database'),
    'corrupt-data',
    /its data in volume d \(claim store-0\), which is damaged: .*\/data\/a\.db/,
  ],
  [
    'nothing of data for code of another version',
    ended('java.lang.UnsupportedClassVersionError: Main has been compiled by a more recent version'),
    'version-mismatch',
    /than its own: java/,
  ],
  [
    'a file of a claim that a user may not use',
    ended("Can't create test file '/data/a.lower-test' (Errcode: 13 \"Permission denied\")", {
      spec: { securityContext: { runAsUser: 101 } },
    }),
    'permission-denied',
    /may not use \/data\/a\.lower-test as user 101 in volume d \(claim store-0\), and its pod has no fsGroup: /,
  ],
];

const LOADER =
  '/opt/shop/bin/shopd: error while loading shared libraries: libshop.so.1: cannot open shared object file: No such file or directory';
const build = {
  initContainers: [
    {
      name: 'build',
      image: 'gcc:1',
      command: ['sh', '-c', 'gcc -shared -o /out/lib/libshop.so.1 /src/a.c && gcc -o /out/bin/shopd /src/main.c'],
      volumeMounts: [{ name: 'd', mountPath: '/out' }],
    },
  ],
};
const lib = (container: object = {}, line = LOADER, exitCode = 127): Partial<PodEvidence> =>
  ended(line, { container, volume: out, spec: build, exitCode, at: '/opt/shop' });
const path = (value: string): object => ({ env: [{ name: 'LD_LIBRARY_PATH', value }] });
const IMPORT = 'ImportError: libshop.so.1: cannot open shared object file: No such file or directory';

const libraries: readonly Case[] = [
  [
    'a library of the program beside it',
    lib(),
    'missing-binary',
    /^container web ends with exit code 127: library libshop\.so\.1, which \/opt\/shop\/bin\/shopd needs, lies in \/opt\/shop\/lib \(volume d, by init container build\), where its loader does not look: LD_LIBRARY_PATH is not set$/,
  ],
  [
    'one where the loader looks elsewhere',
    lib(path('/opt/lib')),
    'missing-binary',
    /where its loader does not look: LD_LIBRARY_PATH is \/opt\/lib$/,
  ],
  [
    'one where it looks, so that it is not there',
    lib(path('/opt/shop/lib:/x')),
    'missing-binary',
    /is not in its image$/,
  ],
  [
    'a library that nothing names',
    lib({}, LOADER.replaceAll('libshop', 'libtax')),
    'missing-binary',
    /is not in its image$/,
  ],
  [
    'one that a script loads',
    lib({}, IMPORT, 1),
    'missing-module',
    /needs \(libshop\.so\.1 lies in \/opt\/shop\/lib \(volume d, by init container build\), where its loader does not look: LD_LIBRARY_PATH is not set\): ImportError/,
  ],
];

describe('where data lies', () => {
  tellsEach(data);
});
describe('where libraries lie', () => {
  tellsEach(libraries);
});
