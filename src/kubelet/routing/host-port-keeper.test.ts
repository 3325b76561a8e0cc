/** Where host ports lead after passes and hints. */
import { beforeEach, describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import type { PodObservation } from '../types.ts';
import { HostPortKeeper } from './host-port-keeper.ts';

const pod: Pod = {
  metadata: { name: 'web', namespace: 'team', uid: 'u' },
  spec: {
    initContainers: [
      { name: 'prepare', image: 'i', ports: [{ containerPort: 1, hostPort: 1 }] },
      {
        name: 'proxy',
        image: 'i',
        restartPolicy: 'Always',
        ports: [{ containerPort: 2, hostPort: 2, protocol: 'UDP' }],
      },
    ],
    containers: [
      {
        name: 'app',
        image: 'i',
        ports: [{ containerPort: 3, hostPort: 3, hostIP: '127.0.0.1' }, { containerPort: 4 }],
      },
    ],
  },
};
const PORTS = [
  { protocol: 'TCP', containerPort: 3, hostPort: 3, hostIp: '127.0.0.1' },
  { protocol: 'UDP', containerPort: 2, hostPort: 2, hostIp: '' },
];
const MAPPED = { createdAt: 1, addresses: ['10.0.0.7'], ports: PORTS };

interface Box {
  readonly state?: 'ready' | 'notready';
  readonly ips?: readonly string[];
  readonly hostNetwork?: boolean;
}

function observed(box: Box | undefined): PodObservation {
  const { state = 'ready', ips = ['10.0.0.7'], hostNetwork = false } = box ?? {};
  const sandboxes =
    box === undefined ? [] : [{ id: 'box', state, createdAt: 1, metadata: { attempt: 0 }, ips, hostNetwork }];
  return { uid: 'u', name: 'web', namespace: 'team', at: 0, sandboxes, containers: [] } as never;
}

let said: unknown[];
let keeper: HostPortKeeper;
beforeEach(() => {
  said = [];
  keeper = new HostPortKeeper({
    map: (uid, sandbox) => said.push(uid === 'u' ? sandbox : [uid, sandbox]),
    settled: () => said.push('settled'),
  });
});
const pass = (box: Box | undefined): void => keeper.passed('u', { pod, observed: observed(box) });

describe('after a pass', () => {
  it.each<[string, Box | undefined, unknown]>([
    ['ports of app containers and sidecars', {}, MAPPED],
    ['no sandbox', undefined, undefined],
    ['a sandbox that has stopped', { state: 'notready' }, undefined],
    ['one without an address', { ips: [] }, undefined],
    ['one on the host’s network', { hostNetwork: true }, undefined],
  ])('%s', (_, box, wanted) => {
    pass(box);
    expect(said).toEqual([wanted]);
  });
});

it('ends with the announced end of the sandbox, until reads deny it', () => {
  pass({});
  keeper.announced('u', 'app');
  keeper.announced('stranger', 'box');
  keeper.announced('u', 'box');
  // A pass that was under way saw it ready.
  pass({});
  keeper.denied('app');
  keeper.denied('box');
  pass({});
  expect(said).toEqual([MAPPED, undefined, undefined, MAPPED, MAPPED]);
});

it('is settled once, when all pods of the runtime were told of', () => {
  keeper.known(['u', 'v']);
  pass({});
  keeper.known(['u', 'v']);
  keeper.passed('v', { pod, observed: observed(undefined) });
  keeper.known(['u', 'v']);
  keeper.known(['u', 'v', 'w']);
  expect(said).toEqual([MAPPED, ['v', undefined], 'settled']);
});

it('is settled at once where the runtime has no pod', () => {
  keeper.known([]);
  expect(said).toEqual(['settled']);
});

it('ends when nothing is left of the pod', () => {
  pass({});
  keeper.forget('u');
  keeper.denied('box');
  expect(said).toEqual([MAPPED, undefined]);
});
