import { describe, expect, it } from 'vitest';
import { MENDLET_GROUP, RESOURCES } from '../../api/index.ts';
import { encodeText } from '../../lib/index.ts';
import { decodeProtobuf } from './decode.ts';

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

type Part = number | string | Uint8Array | readonly Entry[];
type Entry = readonly [number: number, value: Part];

/** Just enough of an encoder: numbers as varints, everything else by its length. */
function encode(entries: readonly Entry[]): Uint8Array {
  const out: number[] = [];
  const varint = (given: number | bigint): void => {
    let value = BigInt.asUintN(64, BigInt(given));
    while (value > 127n) {
      out.push(Number(value & 127n) | 128);
      value >>= 7n;
    }
    out.push(Number(value));
  };
  for (const [number, value] of entries) {
    if (typeof value === 'number') {
      varint(number << 3);
      varint(value);
      continue;
    }
    const bytes = typeof value === 'string' ? encodeText(value) : value instanceof Uint8Array ? value : encode(value);
    varint((number << 3) | 2);
    varint(bytes.length);
    out.push(...bytes);
  }
  return Uint8Array.from(out);
}

function envelope(apiVersion: string, kind: string, content: readonly Entry[]): Uint8Array {
  const unknown = encode([
    [
      1,
      [
        [1, apiVersion],
        [2, kind],
      ],
    ],
    [2, content],
  ]);
  return Uint8Array.from([0x6b, 0x38, 0x73, 0, ...unknown]);
}

describe('what kubectl 1.36 sends', () => {
  it.each([
    [
      'create namespace extra',
      'azhzAAoPCgJ2MRIJTmFtZXNwYWNlEh0KFQoFZXh0cmESABoAIgAqADIAOABCABIAGgIKABoAIgA=',
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'extra' }, spec: {}, status: {} },
    ],
    [
      'create secret generic s1 --from-literal=a=b --from-literal=c=',
      'azhzAAoMCgJ2MRIGU2VjcmV0EiUKEgoCczESABoAIgAqADIAOABCABIGCgFhEgFiEgUKAWMSABoAGgAiAA==',
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's1' }, data: { a: 'Yg==', c: '' } },
    ],
  ])('%s', (_, base64, expected) => {
    expect(decodeProtobuf(bytesOf(base64))).toEqual(expected);
  });
});

it('knows every shape of field', () => {
  const probe: Entry = [
    10,
    [
      [
        1,
        [
          [
            2,
            [
              [1, '/healthz'],
              [
                2,
                [
                  [1, 1],
                  [3, 'http'],
                ],
              ],
            ],
          ],
        ],
      ],
      [2, 3],
      [7, 0],
    ],
  ];
  const resources: Entry = [
    8,
    [
      [
        2,
        [
          [1, 'cpu'],
          [2, [[1, '100m']]],
        ],
      ],
    ],
  ];
  const container: readonly Entry[] = [
    [1, 'c'],
    [2, 'busybox'],
    [3, 'sleep'],
    [3, '1'],
    [
      6,
      [
        [1, ''],
        [3, 80],
      ],
    ],
    resources,
    probe,
  ];
  const volume: readonly Entry[] = [
    [1, 'v'],
    [
      2,
      [
        [
          2,
          [
            [1, ''],
            [2, [[1, '64Mi']]],
          ],
        ],
      ],
    ],
  ];
  const security: readonly Entry[] = [
    [2, 0],
    [4, 1],
    [4, -1],
  ];
  const spec: readonly Entry[] = [
    [1, volume],
    [2, container],
    [4, 0],
    [11, 0],
    [14, security],
    [
      22,
      [
        [1, 'k'],
        [5, 0],
      ],
    ],
  ];
  const meta: readonly Entry[] = [
    [1, 'p'],
    [2, ''],
    [8, [[1, 1767225600]]],
    [
      11,
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
    [99, 'from the future'],
  ];
  expect(
    decodeProtobuf(
      envelope('v1', 'Pod', [
        [1, meta],
        [2, spec],
      ]),
    ),
  ).toEqual({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', labels: { a: 'b' } },
    spec: {
      volumes: [{ name: 'v', emptyDir: { sizeLimit: '64Mi' } }],
      containers: [
        {
          name: 'c',
          image: 'busybox',
          command: ['sleep', '1'],
          ports: [{ containerPort: 80 }],
          resources: { requests: { cpu: '100m' } },
          livenessProbe: {
            httpGet: { path: '/healthz', port: 'http' },
            initialDelaySeconds: 3,
            terminationGracePeriodSeconds: 0,
          },
        },
      ],
      terminationGracePeriodSeconds: 0,
      securityContext: { runAsUser: 0, supplementalGroups: [1, -1] },
      tolerations: [{ key: 'k', tolerationSeconds: 0 }],
    },
  });
});

it('keeps microseconds', () => {
  const body = envelope('coordination.k8s.io/v1', 'Lease', [
    [
      2,
      [
        [1, 'n1'],
        [2, 40],
        [
          4,
          [
            [1, 1767225600],
            [2, 123456000],
          ],
        ],
      ],
    ],
  ]);
  expect(decodeProtobuf(body)).toMatchObject({
    spec: { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.123456Z' },
  });
});

it.each([
  ['another format', encodeText('{}'), /does not begin as Kubernetes Protobuf/],
  ['another kind', envelope('v1', 'Nope', []), /no kind "Nope" is registered for version "v1"/],
  ['a cut message', envelope('v1', 'Pod', [[1, 'x']]).subarray(0, -1), /unexpected end/],
  ['a number for a message', envelope('v1', 'Pod', [[1, 5]]), /a number stands where/],
])('refuses %s', (_, body, message) => {
  expect(() => decodeProtobuf(body)).toThrow(message);
});

it('reads a definition, whose schemas may have something else in their place', () => {
  const raw = (value: unknown): readonly Entry[] => [[1, JSON.stringify(value)]];
  const property = (name: string, schema: readonly Entry[]): Entry => [
    29,
    [
      [1, name],
      [2, schema],
    ],
  ];
  const schema: readonly Entry[] = [
    [5, 'object'],
    property('a', [
      [5, 'array'],
      [24, [[1, [[5, 'string']]]]],
      [20, raw(null)],
      [20, raw('x')],
      [8, raw([])],
    ]),
    property('b', [[30, [[1, 0]]]]),
    property('c', [[30, [[2, [[5, 'integer']]]]]]),
    property('d', [
      [24, [[2, [[5, 'string']]]]],
      [38, 1],
      [42, 'set'],
      [
        44,
        [
          [1, 'self > 0'],
          [6, 1],
        ],
      ],
    ]),
  ];
  const version: readonly Entry[] = [
    [1, 'v1'],
    [2, 1],
    [4, [[1, schema]]],
    [5, [[1, []]]],
    [9, [[1, '.spec.a']]],
  ];
  const conversion: readonly Entry[] = [
    [1, 'Webhook'],
    [
      2,
      [
        [2, [[2, 'pem']]],
        [3, 'v1'],
      ],
    ],
  ];
  const body = envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [
    [
      2,
      [
        [1, 'example.com'],
        [7, version],
        [9, conversion],
      ],
    ],
  ]);
  expect(decodeProtobuf(body)).toMatchObject({
    spec: {
      group: 'example.com',
      versions: [
        {
          name: 'v1',
          served: true,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                a: { type: 'array', items: { type: 'string' }, enum: [null, 'x'], default: [] },
                b: { additionalProperties: false },
                c: { additionalProperties: { type: 'integer' } },
                d: {
                  items: [{ type: 'string' }],
                  'x-kubernetes-preserve-unknown-fields': true,
                  'x-kubernetes-list-type': 'set',
                  'x-kubernetes-validations': [{ rule: 'self > 0', optionalOldSelf: true }],
                },
              },
            },
          },
          subresources: { status: {} },
          selectableFields: [{ jsonPath: '.spec.a' }],
        },
      ],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig: { caBundle: 'cGVt' }, conversionReviewVersions: ['v1'] },
      },
    },
  });
});

it('refuses schemas within schemas without end', () => {
  let schema: readonly Entry[] = [[5, 'object']];
  for (let level = 0; level < 200; level++) schema = [[28, schema]];
  const version: readonly Entry[] = [[4, [[1, schema]]]];
  const body = envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition', [[2, [[7, version]]]]);
  expect(() => decodeProtobuf(body)).toThrow(/nested too deeply/);
});

it('knows every served kind but our own, which has no Protobuf form anywhere', () => {
  for (const { group, version, kind } of RESOURCES) {
    if (group === MENDLET_GROUP) continue;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    expect(decodeProtobuf(envelope(apiVersion, kind, []))).toEqual({ apiVersion, kind });
  }
});
