/** Bodies that cost more to read than to send. */

/** A ConfigMap with `count` entries. */
export function entries(count: number): string {
  return `{"metadata":{"name":"e"},"data":{${Array.from({ length: count }, (_, i) => `"${i}":""`).join(',')}}}`;
}

/** Objects nested `depth` deep, as many as fit into `bytes`. */
export function nested(depth: number, bytes: number): string {
  const one = '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);
  const many = Array.from({ length: Math.floor(bytes / (one.length + 1)) }, () => one);
  return `{"metadata":{"name":"d"},"data":[${many.join(',')}]}`;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return [...bytes, left];
    bytes.push((left % 128) + 128);
  }
}

function field(number: number, content: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from(varint(number * 8 + 2)), Buffer.from(varint(content.length)), content]);
}

/** A Kubernetes Protobuf body of this kind. */
export function magic(apiVersion: string, kind: string, content: Uint8Array): Uint8Array {
  const meta = Buffer.concat([field(1, Buffer.from(apiVersion)), field(2, Buffer.from(kind))]);
  return Buffer.concat([Buffer.from('k8s\0'), field(1, meta), field(2, content)]);
}

/** A Pod's labels, entry after entry, each empty: `metadata` (1) with `labels` (11). */
export function message(bytes: number): Uint8Array {
  return field(1, Buffer.alloc(bytes - 20, Buffer.from([11 * 8 + 2, 0])));
}

/** A Pod's supplementalGroups, packed: `spec` (2), `securityContext` (14), `supplementalGroups` (4). */
export function listField(bytes: number): Uint8Array {
  return field(2, field(14, field(4, Buffer.alloc(bytes - 40, 1))));
}
