/** HTTP, TCP and gRPC probes of simulated pods: the container at the address answers by its behaviour. */
import type { ProbeAttempt, ProbeTransport } from '../kubelet/index.ts';
import type { Random } from '../lib/index.ts';
import type { Life } from './life.ts';
import { remoteCall } from './remote-call.ts';
import type { SimRuntime } from './runtime/sim-runtime.ts';
import type { Sim } from './sim.ts';

export function createSimProbeTransport(sim: Sim, life: Life, runtime: SimRuntime, random: Random): ProbeTransport {
  const probe = (host: string, port: number, timeoutMs: number): Promise<ProbeAttempt> => {
    const fate = { thereMs: 0.2 + random.next(), backMs: 0.2 };
    return remoteCall(sim, life, `probe ${host} by ${life.name}`, fate, () => {
      const health = runtime.healthAt(host);
      if (health === undefined)
        return { result: 'failure', output: `dial tcp ${host}:${port}: connect: connection refused` } as const;
      if (health === 'healthy') return { result: 'success', output: 'ok' } as const;
      if (health === 'failing') return { result: 'failure', output: 'HTTP probe failed with statuscode: 500' } as const;
      return new Promise<ProbeAttempt>((resolve) => {
        const output = 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
        sim.after(timeoutMs, 'probe timed out', () => resolve({ result: 'failure', output }));
      });
    });
  };
  return {
    http: ({ host, port, timeoutMs }) => probe(host, port, timeoutMs),
    tcp: ({ host, port, timeoutMs }) => probe(host, port, timeoutMs),
    grpc: ({ host, port, timeoutMs }) => probe(host, port, timeoutMs),
  };
}
