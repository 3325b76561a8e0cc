/** A connection that can be replaced underneath its holders: after a certificate was renewed, they continue with the new one. */
import type { Connection, HttpRequest, HttpResponse, UpgradeResponse } from '../../lib/index.ts';

export interface ClosableConnection extends Connection {
  close(): void;
}

export class ReplaceableConnection implements ClosableConnection {
  #current: ClosableConnection;

  constructor(first: ClosableConnection) {
    this.#current = first;
  }

  /** Requests under way on the old one end with a `ConnectionError`, which all callers handle. */
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
