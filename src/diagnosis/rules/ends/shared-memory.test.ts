/** Tests what is told of programs that fill /dev/shm, which has 64 MiB without a volume there. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from '../cases/cases.fixtures.ts';

const ended = (container: object, spec: object, lines: readonly string[], given: Partial<PodEvidence> = {}) =>
  ({
    pod: pod({ container, spec, status: crashed({ exitCode: 1 }) }),
    logs: lastWords(...lines),
    ...given,
  }) satisfies Partial<PodEvidence>;
const SURE = /shared memory.* \/dev\/shm(?: in the server's pod)?(?: has 64Mi|: no space is left in the 64Mi)/;
const PERHAPS =
  /^container web cannot write, perhaps to its shared memory \/dev\/shm: no space is left, and that has 64Mi without a volume there/;
const TRACE = [
  'loading dataset into shared memory',
  'Traceback (most recent call last):',
  '  File "/srv/t.py", line 4, in <module>',
  '    for i in range(100): f.write(os.urandom(1<<20))',
  'OSError: [Errno 28] No space left on device',
];

describe('shared memory', () => {
  tellsEach([
    ['by its file', ended({}, {}, ["OSError: [Errno 28] No space left on device: '/dev/shm/psm_1'"]), 'no-space', SURE],
    [
      'of PostgreSQL',
      ended({}, {}, [
        'ERROR:  could not resize shared memory segment "/PostgreSQL.3241" to 8388608 bytes: No space left on device',
      ]),
      'no-space',
      SURE,
    ],
    [
      'of worker processes',
      ended({}, {}, [
        'RuntimeError: unable to write to file </torch_42_1>: No space left on device (28)',
        'ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).',
      ]),
      'no-space',
      SURE,
    ],
    ['by what it said before', ended({}, {}, TRACE), 'no-space', PERHAPS],
    [
      'by a script of a ConfigMap',
      ended(
        { command: ['python3', '/srv/t.py'], volumeMounts: [{ name: 's', mountPath: '/srv' }] },
        { volumes: [{ name: 's', configMap: { name: 'code' } }] },
        TRACE.slice(1),
        {
          configs: [
            {
              kind: 'ConfigMap',
              name: 'code',
              state: 'found',
              keys: ['t.py'],
              texts: { 't.py': 'f=open("/dev/shm/dataset","wb")\n' },
            } satisfies ConfigEvidence,
          ],
        },
      ),
      'no-space',
      PERHAPS,
    ],
    [
      'with a volume of its own',
      ended(
        { volumeMounts: [{ name: 'shm', mountPath: '/dev/shm' }] },
        { volumes: [{ name: 'shm', emptyDir: { medium: 'Memory', sizeLimit: '128Mi' } }] },
        ["OSError: [Errno 28] No space left on device: '/dev/shm/psm_1'"],
      ),
      'no-space',
      /has no shared memory left: its volume shm at \/dev\/shm, of 128Mi, is full/,
    ],
  ]);

  it('needs a volume, and no look at the node', () => {
    const [first] = diagnosePod(evidence(ended({}, {}, TRACE))).findings;
    expect(first?.manifest).toContain('mountPath: /dev/shm');
    expect(first?.try.join()).not.toContain('why node');
  });

  it('is no matter of other files, nor of a database that has no locks left', () => {
    const says = (...lines: readonly string[]) => diagnosePod(evidence(ended({}, {}, lines))).findings[0]?.says;
    expect(says('OSError: [Errno 28] No space left on device: /data/a.bin')).not.toContain('/dev/shm');
    expect(
      says('FATAL: out of shared memory', 'HINT: You might need to increase max_locks_per_transaction.'),
    ).not.toContain('/dev/shm');
  });
});
