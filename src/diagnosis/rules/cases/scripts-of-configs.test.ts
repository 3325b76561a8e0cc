/** Tests what is told of scripts that a volume has and that do not run, and of files that an init container wrote elsewhere. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod, waiting } from '../../evidence.fixtures.ts';
import type { ContainerStatus } from '../../evidence/kinds.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { runc, tellsEach } from './cases.fixtures.ts';

const scripts = (text: string, odd?: string): ConfigEvidence => ({
  kind: 'ConfigMap',
  name: 'boot',
  state: 'found',
  keys: ['run.sh'],
  texts: { 'run.sh': text },
  ...(odd !== undefined && { odd: { 'run.sh': odd } }),
});
const mounted = (
  status: object,
  configs: readonly ConfigEvidence[],
  lines: readonly string[],
  source: object = { configMap: { name: 'boot' } },
) =>
  ({
    pod: pod({
      container: { command: ['/scripts/run.sh'], volumeMounts: [{ name: 'scripts', mountPath: '/scripts' }] },
      spec: { volumes: [{ name: 'scripts', ...source }] },
      status,
    }),
    logs: lastWords(...lines),
    configs,
  }) satisfies Partial<PodEvidence>;
const CRLF = 'has Windows line ends (CR LF)';
const WINDOWS = scripts('#!/bin/bash\r\nexec python3 -m http.server 8080\r\n', CRLF);
const EXEC = 'exec /scripts/run.sh: no such file or directory';

describe('a script of a ConfigMap', () => {
  tellsEach([
    [
      'with Windows line ends, as the runtime says it',
      mounted(crashed({ exitCode: 1 }), [WINDOWS], [EXEC]),
      'encoding',
      /^container web cannot run \/scripts\/run\.sh: it has Windows line ends \(CR LF\), so that it asks for the interpreter "\/bin\/bash\\r", which nobody has; it is key run\.sh of ConfigMap boot$/,
    ],
    [
      'with Windows line ends, as a shell says it',
      mounted(crashed({ exitCode: 127 }), [WINDOWS], ['/scripts/run.sh: cannot execute: required file not found']),
      'encoding',
      /asks for the interpreter "\/bin\/bash\\r"/,
    ],
    [
      'whose interpreter the image does not have',
      mounted(crashed({ exitCode: 1 }), [scripts('#!/usr/bin/python3\nprint(1)\n')], [EXEC]),
      'missing-binary',
      /^container web cannot run \/scripts\/run\.sh: it asks for the interpreter \/usr\/bin\/python3, which is not in image registry\.example\/web:1$/,
    ],
    [
      'of which nothing is known',
      mounted(crashed({ exitCode: 1 }), [], [EXEC]),
      'missing-binary',
      /its program \/scripts\/run\.sh, or the interpreter that it asks for, is not there/,
    ],
    [
      'without the right to be executed',
      mounted(
        crashed({
          exitCode: 128,
          reason: 'StartError',
          message: `${runc}exec: "/scripts/run.sh": permission denied: unknown`,
          lived: 0,
        }),
        [],
        [],
      ),
      'not-executable',
      /^container web cannot start: \/scripts\/run\.sh in volume scripts \(ConfigMap boot\) may not be executed: its mode is 0644, and defaultMode: 0755 of the volume makes it executable$/,
    ],
    [
      'without that right, by the mode of its item',
      mounted(crashed({ exitCode: 126 }), [], ['sh: 1: /scripts/run.sh: Permission denied'], {
        configMap: { name: 'boot', defaultMode: 0o755, items: [{ key: 'run.sh', path: 'run.sh', mode: 0o640 }] },
      }),
      'not-executable',
      /may not be executed: its mode is 0640, by its item$/,
    ],
  ]);

  it('that is there is not said to be missing as well', () => {
    const { findings } = diagnosePod(evidence(mounted(crashed({ exitCode: 1 }), [WINDOWS], [EXEC])));
    expect(findings).toHaveLength(1);
  });
});

/** A container that misses a file of an emptyDir, which an init container mounts, too. */
function filled(init: object, status: Partial<ContainerStatus>): Partial<PodEvidence> {
  const own = pod({
    container: { volumeMounts: [{ name: 'shared', mountPath: '/etc/app' }] },
    spec: { volumes: [{ name: 'shared', emptyDir: {} }], initContainers: [{ name: 'render', image: 'x', ...init }] },
    status: crashed({ exitCode: 1 }),
  });
  return {
    pod: {
      ...own,
      status: {
        ...own.status,
        initContainerStatuses: [{ name: 'render', ready: true, restartCount: 0, image: 'x', imageID: '', ...status }],
      },
    },
    logs: lastWords("Error: ENOENT: no such file or directory, open '/etc/app/config.json'"),
  };
}
const DONE: Partial<ContainerStatus> = { state: { terminated: { exitCode: 0, reason: 'Completed' } } };
const OUT = { volumeMounts: [{ name: 'shared', mountPath: '/out' }] };

describe('a file that an init container should have written', () => {
  tellsEach([
    [
      'beside the volume',
      filled({ ...OUT, command: ['bash', '-c', 'mkdir -p /work && echo "{}" > /work/config.json'] }, DONE),
      'missing-setting',
      /in volume shared, an emptyDir: init container render, which has it at \/out, has ended well, and writes \/work\/config\.json$/,
    ],
    [
      'into another folder of the volume',
      filled({ ...OUT, args: ['--output=/out/conf/config.json'] }, DONE),
      'missing-setting',
      /init container render, which has it at \/out, has ended well, and writes \/out\/conf\/config\.json$/,
    ],
    [
      'and says nothing of',
      filled(OUT, DONE),
      'missing-setting',
      /init container render, which has it at \/out, has ended well, and left it without that file$/,
    ],
    [
      'and has not',
      filled(OUT, { state: { waiting: { reason: 'PodInitializing' } } }),
      'missing-setting',
      /an emptyDir, which is empty until init container render fills it/,
    ],
  ]);
});

describe('a container that must not be root', () => {
  const refused = (container: object, spec: object): Partial<PodEvidence> => ({
    pod: pod({
      container,
      spec,
      status: waiting(
        'CreateContainerConfigError',
        `container's runAsUser breaks non-root policy (pod: "web-1_shop(79188de5)", container: web)`,
      ),
      podStatus: { phase: 'Pending' },
    }),
  });
  tellsEach([
    [
      'and has user 0 itself',
      refused({ securityContext: { runAsUser: 0 } }, { securityContext: { runAsNonRoot: true, runAsUser: 1000 } }),
      'run-as-non-root',
      /^container web must not run as root \(runAsNonRoot of its pod\), but its runAsUser is 0$/,
    ],
    [
      'and has user 0 of its pod',
      refused({ securityContext: { runAsNonRoot: true } }, { securityContext: { runAsUser: 0 } }),
      'run-as-non-root',
      /^container web must not run as root \(runAsNonRoot\), but the runAsUser of its pod is 0$/,
    ],
  ]);
});
