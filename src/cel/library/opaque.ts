/** A value of a library: what it is inside, and how it is compared and shown. Pure. */
import type { OpaqueValue } from '../values/value.ts';

export interface OpaqueParts<T> {
  readonly typeName: string;
  readonly inner: T;
  readonly equals: (one: T, other: T) => boolean;
  readonly show: (inner: T) => string;
  /** What costs count. */
  readonly size?: number;
}

class Opaque<T> implements OpaqueValue {
  readonly isOpaque = true;
  readonly typeName: string;
  readonly inner: T;
  readonly size: number;
  readonly #parts: OpaqueParts<T>;

  constructor(parts: OpaqueParts<T>) {
    this.#parts = parts;
    this.typeName = parts.typeName;
    this.inner = parts.inner;
    this.size = parts.size ?? 1;
  }

  equals(other: OpaqueValue): boolean {
    return this.#parts.equals(this.inner, other.inner as T);
  }

  toString(): string {
    return this.#parts.show(this.inner);
  }
}

export function makeOpaque<T>(parts: OpaqueParts<T>): OpaqueValue {
  return new Opaque(parts);
}
