/** Lets the kubelet's HTTP probe reach the driver's own: `/healthz` is 200 while `Probe` says that it is ready. */
import { createServer } from 'node:http';
import { Identity } from '../../../../src/csi/gen/csi_pb.js';
import { clientAt } from '../serve.ts';
import { settings } from '../settings.ts';

const LIMIT_MS = 1000;

export function livenessProbe(): void {
  const identity = clientAt(Identity, settings.socket);
  const server = createServer((_, response) => {
    const say = (code: number, text: string): void => void response.writeHead(code).end(text);
    identity.probe({}, { timeoutMs: LIMIT_MS }).then(
      ({ ready }) => say(ready === false ? 500 : 200, ready === false ? 'not ready' : 'ok'),
      (error: unknown) => say(500, String(error)),
    );
  });
  server.listen(Number(process.env['HEALTH_PORT'] ?? '9898'));
}
