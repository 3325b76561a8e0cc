/** An agent's way to its server: one connection for all of its clients, renewed under them with the certificate. */
import { createHttpConnection } from '../../client/http-connection.node.ts';
import { createKubeClient, type KubeClient } from '../../client/index.ts';
import { systemClock } from '../../lib/clock.node.ts';
import type { KeyPair } from '../key-pair.ts';
import { readServerVersion } from '../server-version.ts';
import { userAgentOf } from '../user-agent.ts';
import type { NodeCredentials } from './credentials.node.ts';
import { ReplaceableConnection } from './replaceable-connection.ts';

export class ServerWay {
  readonly #connection: ReplaceableConnection;
  #credentials: NodeCredentials;
  #version: string | undefined;

  constructor(credentials: NodeCredentials) {
    this.#credentials = credentials;
    this.#connection = new ReplaceableConnection(open(credentials));
  }

  get credentials(): NodeCredentials {
    return this.#credentials;
  }

  client(component: string): KubeClient {
    return createKubeClient(this.#connection, { clock: systemClock, userAgent: userAgentOf(component) });
  }

  /** Whether the server is mendlet's. Asked once: that does not change. Rejects with `StatusError` or `ConnectionError`. */
  async isOurs(signal: AbortSignal): Promise<boolean> {
    this.#version ??= await readServerVersion(this.#connection, signal);
    return this.#version.includes('+mendlet');
  }

  renew(client: KeyPair): void {
    this.#credentials = { ...this.#credentials, client };
    this.#connection.replace(open(this.#credentials));
  }

  close(): void {
    this.#connection.close();
  }
}

function open(credentials: NodeCredentials): ReturnType<typeof createHttpConnection> {
  return createHttpConnection({ ...credentials, clock: systemClock });
}
