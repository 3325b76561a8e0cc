/** The way to a real API server, by a kubeconfig with a client certificate. */
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { load } from 'js-yaml';
import type { Answer, Call } from './call.ts';

const ATTEMPTS = 3;
const MAX_SOCKETS = 8;

interface KubeConfig {
  readonly clusters: readonly { readonly cluster: { server: string; 'certificate-authority-data': string } }[];
  readonly users: readonly { readonly user: { 'client-certificate-data': string; 'client-key-data': string } }[];
}

/** A request that breaks is asked again; when it always does, the status is 0: a handler that fails cuts the connection. */
export function httpsCall(kubeconfig: string): { readonly call: Call; readonly close: () => void } {
  const config = load(readFileSync(kubeconfig, 'utf8')) as KubeConfig;
  const [first] = config.clusters;
  const [identity] = config.users;
  if (first === undefined || identity === undefined) throw new Error(`${kubeconfig} has no cluster or no user`);
  const pem = (data: string) => Buffer.from(data, 'base64');
  const server = new URL(first.cluster.server);
  const agent = new Agent({
    keepAlive: true,
    maxSockets: MAX_SOCKETS,
    ca: pem(first.cluster['certificate-authority-data']),
    cert: pem(identity.user['client-certificate-data']),
    key: pem(identity.user['client-key-data']),
  });
  const once = (method: string, path: string, text: string): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
      const options = { agent, host: server.hostname, port: server.port, method, path, headers };
      const sent = request(options, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }));
        answer.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(text);
    });
  const call: Call = async (method, path, body) => {
    const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await once(method, path, text);
      } catch (error) {
        if (attempt >= ATTEMPTS) return { status: 0, text: JSON.stringify({ message: String(error) }) };
      }
    }
  };
  return { call, close: () => agent.destroy() };
}
