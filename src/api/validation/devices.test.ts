/** What is refused of claims, slices and classes of devices, by table. */
import { describe, expect, it } from 'vitest';
import { printFieldError } from '../field-error.ts';
import { validateResourceClaim, validateResourceClaimStatus, validateResourceClaimUpdate } from './device-claims.ts';
import { validateResourceSlice, validateResourceSliceUpdate } from './device-slices.ts';
import { validateDeviceClass } from './devices.ts';

// oxlint-disable-next-line typescript/no-explicit-any
type Loose = any;

const metadata = { name: 'x', namespace: 'default', uid: 'u', resourceVersion: '1' };
const { namespace: _, ...ofCluster } = metadata;
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

const exactly = { deviceClassName: 'gpu', allocationMode: 'ExactCount', count: 1 };
const claim = (devices: Loose, status?: Loose): Loose => ({ metadata, spec: { devices }, status });
const one = (more: Loose): Loose => claim({ requests: [{ name: 'a', exactly: { ...exactly, ...more } }] });
const NAMES = "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

describe('a claim', () => {
  it.each<[Loose, string[]]>([
    [one({}), []],
    [claim({ requests: [{ name: 'a', firstAvailable: [{ name: 'b', ...exactly }] }], constraints: [] }), []],
    [
      claim({ requests: [{ name: 'a' }] }),
      ['spec.devices.requests[0]: Required value: exactly one of `exactly` or `firstAvailable` is required'],
    ],
    [
      claim({ requests: [{ name: 'a', exactly, firstAvailable: [{ name: 'b', ...exactly }] }] }),
      [
        'spec.devices.requests[0]: Invalid value: null: exactly one of `exactly` or `firstAvailable` is required, but multiple fields are set',
      ],
    ],
    [claim({ requests: many(2, () => ({ name: 'a', exactly })) }), ['spec.devices.requests[1]: Duplicate value: "a"']],
    [
      claim({ requests: many(33, (at) => ({ name: `r${at}`, exactly })) }),
      ['spec.devices.requests: Too many: 33: must have at most 32 items'],
    ],
    [
      one({ allocationMode: 'Some' }),
      [
        'spec.devices.requests[0].exactly.allocationMode: Unsupported value: "Some": supported values: "All", "ExactCount"',
      ],
    ],
    [one({ count: -1 }), ['spec.devices.requests[0].exactly.count: Invalid value: -1: must be greater than zero']],
    [
      one({ tolerations: [{ operator: 'Exists', value: 'v' }] }),
      [
        'spec.devices.requests[0].exactly.tolerations[0].value: Invalid value: "v": must be empty for operator `Exists`',
      ],
    ],
    [
      one({ tolerations: [{ operator: 'Equal', effect: 'No' }] }),
      [
        'spec.devices.requests[0].exactly.tolerations[0].effect: Unsupported value: "No": supported values: "NoExecute", "NoSchedule", "None"',
      ],
    ],
    [
      one({ selectors: [{ cel: { expression: 'x'.repeat(10_241) } }] }),
      ['spec.devices.requests[0].exactly.selectors[0].cel.expression: Too long: may not be more than 10240 bytes'],
    ],
    [
      claim({ requests: [{ name: 'a', exactly }], constraints: [{ requests: ['b'], matchAttribute: 'x/y' }] }),
      [`spec.devices.constraints[0].requests[0]: Invalid value: "b": ${NAMES}`],
    ],
    [
      claim({ requests: [{ name: 'a', exactly }], constraints: [{ matchAttribute: 'y' }] }),
      [
        'spec.devices.constraints[0].matchAttribute: Invalid value: "y": a fully qualified name must be a domain and a name separated by a slash',
      ],
    ],
    [
      claim({ requests: [{ name: 'a', exactly }], config: [{ opaque: { driver: 'd.io', parameters: [] } }] }),
      ['spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object'],
    ],
  ])('%#', (object, errors) => {
    expect(validateResourceClaim(object).map(printFieldError)).toEqual(errors);
  });

  it('never changes what it asks for', () => {
    expect(validateResourceClaimUpdate(one({ count: 2 }), one({})).map(({ field }) => field)).toEqual(['spec']);
  });

  const result = { request: 'a', driver: 'd.io', pool: 'p', device: 'gpu-0' };
  const allocated = (more: Loose = {}, results: Loose[] = [result]): Loose => ({
    ...one({}),
    status: { allocation: { devices: { results } }, ...more },
  });
  const user = { resource: 'pods', name: 'p', uid: 'u1' };
  const device = { driver: 'd.io', pool: 'p', device: 'gpu-0' };
  it.each<[string, Loose, string[]]>([
    ['allocated', allocated(), []],
    ['in use', allocated({ reservedFor: [user] }), []],
    ['used twice', allocated({ reservedFor: [user, user] }), ['status.reservedFor[1]: Duplicate value: "u1"']],
    [
      'used without devices',
      { ...one({}), status: { reservedFor: [user] } },
      ['status.reservedFor: Forbidden: may not be specified when `allocated` is not set'],
    ],
    [
      'used by nobody',
      allocated({ reservedFor: [{ ...user, uid: '' }] }),
      ['status.reservedFor[0].uid: Required value'],
    ],
    [
      'of another request',
      allocated({}, [{ ...result, request: 'b' }]),
      [`status.allocation.devices.results[0].request: Invalid value: "b": ${NAMES}`],
    ],
    [
      'of no pool',
      allocated({}, [{ ...result, pool: '' }]),
      ['status.allocation.devices.results[0].pool: Required value'],
    ],
    [
      'of a share',
      allocated({}, [{ ...result, shareID: 'x' }]),
      [
        'status.allocation.devices.results[0].shareID: Invalid value: "x": error validating uid: invalid UUID length: 1',
      ],
    ],
    [
      'that wait without an end',
      allocated({}, [{ ...result, bindingConditions: ['ready'] }]),
      [
        'status.allocation.devices.results[0].bindingFailureConditions: Invalid value: []: bindingFailureConditions are required to use bindingConditions',
      ],
    ],
    ['said of its device', allocated({ devices: [{ ...device, networkData: { ips: ['10.0.0.1/24'] } }] }), []],
    [
      'said of another device',
      allocated({ devices: [{ ...device, device: 'gpu-1' }] }),
      ['status.devices[0]: Invalid value: "d.io/p/gpu-1": must be an allocated device in the claim'],
    ],
    [
      'with a bare address',
      allocated({ devices: [{ ...device, networkData: { ips: ['10.0.0.1'] } }] }),
      [
        'status.devices[0].networkData.ips[0]: Invalid value: "10.0.0.1": must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)',
      ],
    ],
  ])('%s', (_, object, errors) => {
    expect(validateResourceClaimStatus(object, one({})).map(printFieldError)).toEqual(errors);
  });

  it('keeps its devices, and gets no new user while it goes', () => {
    const other = allocated({}, [{ ...result, device: 'gpu-1' }]);
    expect(validateResourceClaimStatus(other, allocated()).map(({ field }) => field)).toEqual(['status.allocation']);
    const going = { ...allocated({ reservedFor: [user] }), metadata: { ...metadata, deletionTimestamp: 't' } };
    const old = { ...allocated(), metadata: going.metadata };
    expect(validateResourceClaimStatus(going, old).map(printFieldError)).toEqual([
      'status.reservedFor: Forbidden: new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set',
    ]);
  });
});

const pool = { name: 'p', generation: 1, resourceSliceCount: 1 };
const slice = (more: Loose): Loose => ({ metadata: ofCluster, spec: { driver: 'd.io', pool, nodeName: 'n', ...more } });
const gpu = (more: Loose): Loose => slice({ devices: [{ name: 'gpu', ...more }] });
const shared = (requestPolicy: Loose): Loose =>
  gpu({ allowMultipleAllocations: true, capacity: { memory: { value: '10Gi', requestPolicy } } });
const DEVICE = 'spec.devices[0]';
const POLICY = `${DEVICE}.capacity[memory].requestPolicy`;

describe('a slice', () => {
  it.each<[string, Loose, string[]]>([
    ['of a node', gpu({ attributes: { 'd.io/model': { string: 'x' }, free: { bool: true } } }), []],
    [
      'of nowhere',
      slice({ nodeName: undefined }),
      [
        'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      ],
    ],
    [
      'of two places',
      slice({ allNodes: true }),
      [
        'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
      ],
    ],
    [
      'that says no',
      slice({ allNodes: false }),
      ['spec.allNodes: Invalid value: false: must be either unset or set to true'],
    ],
    [
      'of several terms',
      slice({
        nodeName: undefined,
        nodeSelector: { nodeSelectorTerms: many(2, () => ({ matchExpressions: [{ key: 'a', operator: 'Exists' }] })) },
      }),
      [expect.stringContaining('must have exactly one node selector term') as never],
    ],
    ['of many devices', slice({ devices: many(128, (at) => ({ name: `d${at}` })) }), []],
    [
      'of too many with taints',
      slice({ devices: many(65, (at) => ({ name: `d${at}`, taints: [{ key: 'k', effect: 'NoSchedule' }] })) }),
      ['spec.devices: Too many: 65: must have at most 64 items'],
    ],
    [
      'of the same device twice',
      slice({ devices: many(2, () => ({ name: 'd' })) }),
      ['spec.devices[1]: Duplicate value: "d"'],
    ],
    ['of a driver', slice({ driver: 'D.io' }), []],
    ['of no driver', slice({ driver: '' }), ['spec.driver: Required value']],
    [
      'with a bad attribute',
      gpu({ attributes: { 'a-b': { int: 1 } } }),
      [expect.stringContaining(`${DEVICE}.attributes: Invalid value: "a-b": a valid C identifier`) as never],
    ],
    [
      'with an empty attribute',
      gpu({ attributes: { a: {} } }),
      [`${DEVICE}.attributes[a]: Invalid value: "": exactly one value must be specified`],
    ],
    [
      'with a bad version',
      gpu({ attributes: { a: { version: '1.2' } } }),
      [`${DEVICE}.attributes[a].version: Invalid value: "1.2": must be a string compatible with semver.org spec 2.0.0`],
    ],
    [
      'with a long text',
      gpu({ attributes: { a: { string: 'x'.repeat(65) } } }),
      [`${DEVICE}.attributes[a].string: Too long: may not be more than 64 bytes`],
    ],
    [
      'with too many attributes',
      gpu({ attributes: Object.fromEntries(many(33, (at) => [`a${at}`, { int: at }])) }),
      [`${DEVICE}: Invalid value: 33: the total number of attributes and capacities must not exceed 32`],
    ],
    [
      'with a policy for one user',
      gpu({ capacity: { memory: { value: '1', requestPolicy: {} } } }),
      [`${POLICY}: Forbidden: allowMultipleAllocations must be true`],
    ],
    ['with values to choose from', shared({ default: '1Gi', validValues: ['1Gi', '2Gi'] }), []],
    [
      'with values and no choice',
      shared({ validValues: ['1Gi'] }),
      [`${POLICY}.default: Required value: required when validValues is defined`],
    ],
    [
      'with values in disorder',
      shared({ default: '1Gi', validValues: ['2Gi', '1Gi'] }),
      [`${POLICY}.validValues[1]: Invalid value: "1Gi": values must be sorted in ascending order`],
    ],
    [
      'with too large a value',
      shared({ default: '1Gi', validValues: ['1Gi', '20Gi'] }),
      [`${POLICY}.validValues[1]: Invalid value: "20Gi": option is larger than capacity value: 10Gi`],
    ],
    ['with a range', shared({ default: '2Gi', validRange: { min: '1Gi', max: '4Gi', step: '1Gi' } }), []],
    [
      'with a range that the choice is beyond',
      shared({ default: '5Gi', validRange: { min: '1Gi', max: '4Gi' } }),
      [`${POLICY}.validRange.max: Invalid value: "5Gi": default is more than max: 4Gi`],
    ],
    [
      'with steps that do not fit',
      shared({ default: '2Gi', validRange: { min: '1Gi', step: '3Gi' } }),
      [`${POLICY}.validRange.step: Invalid value: "2Gi": value is not a multiple of a given step (3Gi) from (1Gi)`],
    ],
    ['with a taint without effect', gpu({ taints: [{ key: 'k' }] }), [`${DEVICE}.taints[0].effect: Required value`]],
    [
      'with a device somewhere else',
      gpu({ nodeName: 'm' }),
      [
        `${DEVICE}: Invalid value: null: \`nodeName\`, \`nodeSelector\` and \`allNodes\` can only be set if \`perDeviceNodeSelection\` is set to true in the ResourceSlice spec`,
      ],
    ],
    [
      'with a device nowhere',
      slice({ nodeName: undefined, perDeviceNodeSelection: true, devices: [{ name: 'gpu' }] }),
      [
        `${DEVICE}: Required value: exactly one of \`nodeName\`, \`nodeSelector\`, or \`allNodes\` is required when \`perDeviceNodeSelection\` is set to true in the ResourceSlice spec`,
      ],
    ],
    ['of counters', slice({ sharedCounters: [{ name: 'c', counters: { a: { value: '1' } } }] }), []],
    [
      'of empty counters',
      slice({ sharedCounters: [{ name: 'c' }] }),
      ['spec.sharedCounters[0].counters: Required value'],
    ],
    [
      'of counters and devices',
      slice({ devices: [], sharedCounters: [] }),
      ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
    ],
  ])('%s', (_, object, errors) => {
    expect(validateResourceSlice(object).map(printFieldError)).toEqual(errors);
  });

  it('stays where it is', () => {
    const fields = validateResourceSliceUpdate(slice({ nodeName: 'm', driver: 'e.io' }), slice({}));
    expect(fields.map(({ field }) => field)).toEqual(['spec.driver', 'spec.nodeName']);
  });
});

describe('a class', () => {
  it.each<[Loose, string[]]>([
    [{ selectors: [{ cel: { expression: 'true' } }], extendedResourceName: 'example.com/gpu' }, []],
    [{ selectors: [{}] }, ['spec.selectors[0].cel: Required value']],
    [{ config: [{}] }, ['spec.config[0].opaque: Required value']],
    ...['cpu', 'kubernetes.io/x', 'requests.a/b'].map((name): [Loose, string[]] => [
      { extendedResourceName: name },
      [`spec.extendedResourceName: Invalid value: "${name}": must be a valid extended resource name`],
    ]),
  ])('%#', (spec, errors) => {
    const object = { metadata: { name: 'x' }, spec };
    expect(validateDeviceClass(object).map(printFieldError)).toEqual(errors);
  });
});
