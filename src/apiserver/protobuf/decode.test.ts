import { describe, expect, it } from 'vitest';
import { APIEXTENSIONS_GROUP, MENDLET_GROUP, RESOURCES } from '../../api/index.ts';
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

it('knows every served kind but our own, which has no Protobuf form anywhere, and definitions, which clients send as JSON', () => {
  for (const { group, version, kind } of RESOURCES) {
    if (group === MENDLET_GROUP || group === APIEXTENSIONS_GROUP) continue;
    const apiVersion = group === '' ? version : `${group}/${version}`;
    expect(decodeProtobuf(envelope(apiVersion, kind, []))).toEqual({ apiVersion, kind });
  }
});
