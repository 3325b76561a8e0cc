import { describe, expect, it } from 'vitest';
import type { Pod } from '../types.gen.ts';
import type { PodHistory } from './history.ts';
import { podLives } from './pod-lives.ts';

const NOW = Date.UTC(2026, 0, 1, 12);
const uid = (n: number): string => `00000000-0000-4000-8000-00000000000${n}`;
const EARLIER = '2026-01-01T11:00:00.000Z';
const AT_ONCE = '2026-01-01T12:00:00.000Z';

function life(of: string, goneAt?: string): PodHistory {
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'PodHistory',
    metadata: { namespace: 'shop', name: 'web', uid: of },
    nodeName: 'n1',
    ...(goneAt === undefined ? {} : { goneAt }),
    containers: [{ name: 'main', total: 1, deaths: [] }],
  };
}

function pod(of: string, annotations: Record<string, string> = {}, nodeName = 'n1'): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { namespace: 'shop', name: 'web', uid: of, annotations },
    spec: { nodeName, containers: [] },
  };
}

describe('the lives of a pod', () => {
  it.each<[string, readonly PodHistory[], Pod | undefined, boolean, readonly string[]]>([
    ['that is there', [life(uid(1))], pod(uid(1)), true, [`${uid(1)} 1`]],
    ['that is gone', [life(uid(1), EARLIER)], undefined, false, [`${uid(1)} 1 gone ${EARLIER}`]],
    [
      'that is gone, and its node has yet to note it',
      [life(uid(1))],
      undefined,
      false,
      [`${uid(1)} 1 gone ${AT_ONCE}`],
    ],
    [
      'whose name another has now',
      [life(uid(1)), life(uid(2))],
      pod(uid(2)),
      true,
      [`${uid(2)} 1`, `${uid(1)} 1 gone ${AT_ONCE}`],
    ],
    [
      'in which nothing has died, and those before it',
      [life(uid(1), EARLIER), life(uid(2))],
      pod(uid(3)),
      true,
      [`${uid(3)} 0`, `${uid(2)} 1 gone ${AT_ONCE}`, `${uid(1)} 1 gone ${EARLIER}`],
    ],
    ['of another UID, asked for alone', [life(uid(1))], pod(uid(2)), false, [`${uid(1)} 1 gone ${AT_ONCE}`]],
    ['that nobody remembers', [], undefined, false, []],
    ['that never ran', [], pod(uid(1), {}, ''), true, []],
    ['as its mirror tells', [life('hash')], pod(uid(1), { 'kubernetes.io/config.mirror': 'hash' }), true, ['hash 1']],
    ['of its node alone, whose mirror may be missing', [life('hash')], undefined, false, ['hash 1']],
  ])('%s', (_what, items, there, isMeant, wanted) => {
    const lives = podLives(items, { pod: there, isMeant, now: NOW });
    expect(
      lives.map(({ metadata, containers, goneAt }) =>
        [metadata.uid, containers.length, ...(goneAt === undefined ? [] : ['gone', goneAt])].join(' '),
      ),
    ).toEqual(wanted);
  });
});
