import { describe, expect, it } from 'vitest';
import { diagnoseAttachment } from '../diagnose-attachment.ts';
import { ago, NOW, pod } from '../evidence.fixtures.ts';
import { quoteText } from '../quote-text.ts';
import {
  type AttachmentGiven,
  attachmentOf,
  controller,
  crashing,
  DRIVER,
  driver,
  driverPod,
  node,
  registered,
} from './storage.fixtures.ts';

type Case = [what: string, given: AttachmentGiven, id: string, says: RegExp, quotes: RegExp, next: RegExp];

const attaching = { status: { attached: false } };
const deleted = { metadata: { deletionTimestamp: ago(600) } };
const silent = { ready: 'Unknown', inUse: true };
const user = pod({ name: 'db-0', spec: { nodeName: 'n2' } });
const OUT_OF_SERVICE = [{ key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' }];

const cases: readonly Case[] = [
  [
    'waits for an attacher that is scaled away',
    { ...attaching, driver: driver([controller([], 0)]) },
    'attacher-missing',
    /volume pv-1 waits to be attached to node n2 by the attacher of driver disk.example.com, which does not run: deployment disk\/ctl is scaled to 0/,
    /spec.replicas 0/,
    /^mendlet why deployment\/ctl -n disk$/,
  ],
  [
    'waits for an attacher that crashes',
    { ...attaching, driver: driver([controller([crashing('ctl-1', 'n1')])]) },
    'attacher-missing',
    /pod disk\/ctl-1 crashes: container csi-attacher ended with exit code 2/,
    /pod\/ctl-1 \(disk\): crashes/,
    /^mendlet why pod\/ctl-1 -n disk$/,
  ],
  [
    'waits for an attacher that is nowhere',
    { ...attaching, driver: driver([]) },
    'attacher-missing',
    /nothing in the cluster looks like the attacher of the driver/,
    /spec.attachRequired: not set \(true\)/,
    /attachRequired: false/,
  ],
  [
    'waits for an attacher of a driver without an object',
    { ...attaching, driver: { name: DRIVER, missing: true, parts: [] } },
    'attacher-missing',
    /does not run/,
    /not found, so its volumes count as ones to attach/,
    /attachRequired: false/,
  ],
  [
    'is refused by the storage',
    { status: { attached: false, attachError: { message: 'no such disk' } } },
    'volume-attach',
    /cannot be attached to node n2: no such disk/,
    /status.attachError: no such disk/,
    /^kubectl logs -n disk ctl-1 -c csi-attacher/,
  ],
  [
    'is refused, since the driver is not on the node',
    { status: { attached: false, attachError: { message: 'node "n2" has no NodeID' } }, nodeDrivers: registered('n2') },
    'volume-attach',
    /has no NodeID/,
    /csinode\/n2: driver disk.example.com is not registered/,
    /^mendlet why node\/n2$/,
  ],
  [
    'hears nothing of its attacher, which runs',
    attaching,
    'volume-attach',
    /has waited for 60m to be attached to node n2, and the attacher of driver disk.example.com says nothing/,
    /finalizers: external-attacher\/disk.example.com/,
    /^kubectl logs/,
  ],
  [
    'does not go, without an attacher',
    { ...deleted, driver: driver([controller([], 0)]) },
    'attacher-missing',
    /waits to be detached from node n2 .* scaled to 0; this does not end by itself/,
    /metadata.deletionTimestamp: 10m ago/,
    /kubectl patch volumeattachment csi-1 .*otherwise two nodes may write to it$/,
  ],
  [
    'does not go, for the storage refuses',
    { ...deleted, status: { attached: true, detachError: { message: 'the disk is busy' } } },
    'volume-detach',
    /cannot be detached from node n2: the disk is busy/,
    /status.detachError: the disk is busy/,
    /^mendlet why node\/n2$/,
  ],
  [
    'does not go, and its attacher says nothing',
    deleted,
    'volume-detach',
    /on its way off node n2 for 10m, and the attacher of driver disk.example.com says nothing/,
    /external-attacher/,
    /kubectl patch volumeattachment/,
  ],
  [
    'does not go, for a finalizer of somebody else',
    { metadata: { deletionTimestamp: ago(600), finalizers: ['other.example/hold'] } },
    'finalizers',
    /other.example\/hold is still there, and whoever set it has to remove it/,
    /finalizers: other.example\/hold/,
    /^kubectl describe volumeattachment csi-1$/,
  ],
  [
    'is at a lost node whose pods still count',
    { node: node('n2', silent), pods: [user] },
    'volume-held',
    /stays at node n2, which has not been heard of for 3m: pod db-0 there may still write to it, and no time alone ends that/,
    /status.conditions\[Ready\]: Unknown/,
    /^kubectl taint nodes n2 node.kubernetes.io\/out-of-service=nodeshutdown:NoExecute {2}# only when the machine is off/,
  ],
  [
    'is at a lost node for less than six minutes',
    { node: node('n2', silent) },
    'volume-held',
    /detached by force once the node has been silent for six minutes in which no pod there needed it, in 3m at the earliest \(never with --disable-force-detach-on-timeout\)/,
    /volumesInUse/,
    /^kubectl wait --for=condition=Ready node\/n2/,
  ],
  [
    'is at a lost node for longer',
    { node: node('n2', { ...silent, since: 900 }) },
    'volume-held',
    /needed it, which is due/,
    /volumesInUse/,
    /out-of-service/,
  ],
  [
    'is at a node that is out of service',
    { node: node('n2', { ...silent, taints: OUT_OF_SERVICE }) },
    'volume-held',
    /is detached from node n2, .* at once: somebody has said that it is out of service/,
    /Unknown/,
    /describe/,
  ],
  [
    'is at a node that has not unmounted it',
    { node: node('n2', { inUse: true }) },
    'volume-held',
    /stays at node n2 until that node has unmounted it; no pod there needs it any more/,
    /volumesInUse: kubernetes.io\/csi\/disk.example.com\^v1/,
    /^mendlet why node\/n2$/,
  ],
  [
    'is at a node that is gone',
    { node: { name: 'n2', missing: true } },
    'volume-held',
    /attached to node n2, which does not exist any more, and nobody has begun to detach it/,
    /node\/n2: not found/,
    /describe/,
  ],
];

describe('an attachment', () => {
  it.each<Case>([...cases])('%s', (_, given, id, says, quotes, next) => {
    const { findings } = diagnoseAttachment(attachmentOf(given));
    expect(findings.map((finding) => finding.id)).toEqual([id]);
    expect(findings[0]?.says).toMatch(says);
    const text = (findings[0]?.evidence ?? []).map((quote) => quoteText(quote, NOW)).join('\n');
    expect(text).toMatch(quotes);
    expect(findings[0]?.try.some((each) => next.test(each))).toBe(true);
  });

  it.each<[string, AttachmentGiven]>([
    ['that is attached to a node with its pod', { pods: [user] }],
    ['that nobody needs on a node that does not use it', {}],
    ['that was made a moment ago', { ...attaching, metadata: { creationTimestamp: ago(5) }, driver: driver([]) }],
    ['that is removed a moment ago', { metadata: { deletionTimestamp: ago(5) }, driver: driver([]) }],
    ['that is removed, with nobody to wait for', { metadata: { deletionTimestamp: ago(600), finalizers: [] } }],
    [
      'of a node whose agent attaches by itself',
      { node: { name: 'n2', node: { metadata: { name: 'n2' } }, missing: false } },
    ],
    ['of a node that could not be read', { node: { name: 'n2' } }],
    ['whose pods could not be read', { pods: undefined }],
  ])('%s is well', (_, given) => {
    expect(diagnoseAttachment(attachmentOf(given)).findings).toEqual([]);
  });

  it('whose driver could not be looked for is not said to have none', () => {
    const { findings } = diagnoseAttachment(attachmentOf({ ...attaching, driver: { name: DRIVER } }));
    expect(findings).toMatchObject([{ id: 'volume-attach' }]);
  });

  it('of an attacher with a second copy that works is not said to have none', () => {
    const pods = [crashing('ctl-1', 'n1'), driverPod('ctl-2', 'n2')];
    const { findings } = diagnoseAttachment(attachmentOf({ ...attaching, driver: driver([controller(pods)]) }));
    expect(findings).toMatchObject([{ id: 'volume-attach' }]);
  });

  it.each([
    [{}, 'volume pv-1, attached to node n2 by disk.example.com', true],
    [attaching, 'volume pv-1, not attached yet to node n2 by disk.example.com', false],
    [deleted, 'volume pv-1, being detached from node n2 by disk.example.com', false],
  ])('%j: "%s"', (given, state, asWanted) => {
    expect(diagnoseAttachment(attachmentOf(given))).toMatchObject({ state, asWanted });
  });
});
