/** A connection whose ground may be changed: after a certificate was renewed, its holders go on with the new one. */
import type { Connection, HttpRequest, HttpResponse, UpgradeResponse } from '../../lib/index.ts';

export interface ClosableConnection extends Connection {
  close(): void;
}

export class ReplaceableConnection implements ClosableConnection {
  #current: ClosableConnection;

  constructor(first: ClosableConnection) {
    this.#current = first;
  }

  /** What is under way on the old one ends with a `ConnectionError`, which everybody who waits for an answer knows. */
  replace(next: ClosableConnection): void {
    const old = this.#current;
    this.#current = next;
    old.close();
  }

  request(request: HttpRequest): Promise<HttpResponse> {
    return this.#current.request(request);
  }

  upgrade(request: HttpRequest): Promise<UpgradeResponse> {
    return this.#current.upgrade(request);
  }

  close(): void {
    this.#current.close();
  }
}
