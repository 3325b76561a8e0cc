import { describe, expect, it } from 'vitest';
import { VOLUME_PROBLEM } from '../../api/index.ts';
import { diagnoseClaim } from '../diagnose-claim.ts';
import { diagnosePod } from '../diagnose-pod.ts';
import { ago, event, evidence, NOW, pod } from '../evidence.fixtures.ts';
import type { Event } from '../evidence/kinds.ts';
import type { ClaimSubjectEvidence } from '../evidence/object-evidence.ts';
import { type Case, creating, tellsEach } from './cases.fixtures.ts';

const GONE = 'driver name disk.example.com not found in the list of registered CSI drivers';
const told = (status: string, reason: string, message: string) => ({
  pod: pod({ podStatus: { conditions: [{ type: VOLUME_PROBLEM, status, reason, message }] } }),
});
const ending = (message: string) => ({
  pod: pod({ metadata: { deletionTimestamp: ago(200), deletionGracePeriodSeconds: 1 } }),
  events: [event('FailedUnMount', message)],
});

const cases: readonly Case[] = [
  [
    'a volume whose mount vanished',
    told('True', 'MountLost', 'volume data: nothing is mounted at /k/mount any more'),
    'volume-problem',
    /a volume of pod web-1 does not work: volume data: nothing is mounted/,
  ],
  [
    'a volume of which its driver warns',
    told('True', 'Abnormal', 'volume data: password=hunter2 is wrong'),
    'volume-problem',
    /the driver of a volume of pod web-1 warns: volume data: password=\*\*\*/,
  ],
  [
    'a start without its driver',
    creating([event('FailedMount', `MountVolume.SetUp failed for volume "data" : ${GONE}`)]),
    'driver-not-registered',
    /cannot start: its volume waits for CSI driver disk.example.com, which is not registered on node n1/,
  ],
  [
    'an end without its driver',
    ending(`UnmountVolume.TearDown failed for volume "data" : ${GONE}`),
    'driver-not-registered',
    /cannot end: its volume waits for CSI driver disk.example.com/,
  ],
  [
    'an end with a busy volume',
    ending('UnmountVolume.TearDown failed for volume "data" : umount failed: umount: /k/p/mount: target is busy.'),
    'volume-unmount',
    /volume data cannot be unmounted, since a process on its node still uses it/,
  ],
  [
    'an end with a driver that hangs',
    ending('UnmountVolume.TearDown failed for volume "data" : context deadline exceeded'),
    'volume-unmount',
    /its driver or server does not answer/,
  ],
];

describe('a pod with a volume of a driver', () => {
  tellsEach(cases);

  it('gets the commands that name who holds a busy volume', () => {
    const [first] = diagnosePod(evidence(ending('umount: /k/p/mount: target is busy'))).findings;
    expect(first?.try.slice(0, 2)).toEqual(['fuser -vm /k/p/mount', 'grep -l /k/p/mount /proc/*/mountinfo']);
  });

  it.each([
    ['that works again', told('False', 'VolumesWork', '')],
    ['that runs, with the trouble of its start', { events: [event('FailedMount', GONE)] }],
  ])('%s is well', (_, given) => {
    expect(diagnosePod(evidence(given)).findings).toEqual([]);
  });
});

describe('a claim', () => {
  const about = (events: readonly Event[], claim: object = {}): ClaimSubjectEvidence => ({
    now: NOW,
    namespace: 'shop',
    claim: {
      name: 'data',
      missing: false,
      claim: { metadata: { name: 'data', creationTimestamp: ago(3600) }, status: { phase: 'Bound' }, ...claim },
      events,
    },
    users: ['db-0'],
    notLookedAt: [],
    namespaceFlag: '-n shop',
  });
  const at = (reason: string, seconds: number): Event => ({
    ...event(reason, 'Volume of pod db-0: gone'),
    lastTimestamp: ago(seconds),
  });

  it('whose volume does not work is told', () => {
    const { findings } = diagnoseClaim(about([at('VolumeWorks', 90), at('VolumeStale', 30)]));
    expect(findings).toMatchObject([{ id: 'volume-problem', try: ['mendlet why pod/db-0 -n shop'] }]);
  });
  it('whose volume works again is well', () => {
    expect(diagnoseClaim(about([at('VolumeStale', 90), at('VolumeWorks', 30)])).findings).toEqual([]);
  });
  it('that waits for an external provisioner names it', () => {
    const annotations = { 'volume.kubernetes.io/storage-provisioner': 'disk.example.com' };
    const pending = {
      metadata: { name: 'data', creationTimestamp: ago(3600), annotations },
      status: { phase: 'Pending' },
    };
    const [first] = diagnoseClaim(about([event('ExternalProvisioning', 'waiting')], pending)).findings;
    expect(first?.says).toContain('its provisioner disk.example.com has not made one');
  });
});
