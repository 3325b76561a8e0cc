import { expect, it } from 'vitest';
import type { Service } from '../../api/index.ts';
import { silentLogger } from '../../lib/index.ts';
import type { ServiceDirectory } from '../services/service-directory.ts';
import { HealthChecks } from './health-checks.ts';

const services = new Map<string, Service>();
const directory = {
  service: (namespace: string, name: string) => services.get(`${namespace}/${name}`),
  slices: () => [],
} as unknown as ServiceDirectory;

function local(port: number | undefined): void {
  const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local', healthCheckNodePort: port ?? 0, ports: [] };
  services.set('team/web', { spec });
}

/** All that is due without a timer. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('a health check port that was taken is tried again, and one that comes back waits for the end of its listener', async () => {
  const open = new Set<number>();
  let isTaken = true;
  const checks = new HealthChecks(
    async (port) => {
      if (isTaken || open.has(port)) throw new Error('EADDRINUSE');
      open.add(port);
      return { close: () => void open.delete(port) };
    },
    'n1',
    silentLogger,
  );
  local(31_000);
  checks.update(directory, ['team/web']);
  await settle();
  expect([...open]).toEqual([]);
  isTaken = false;
  checks.update(directory, ['team/other']);
  await settle();
  expect([...open]).toEqual([31_000]);
  // To and fro before anything is done.
  for (const port of [undefined, 31_000, 31_001, 31_000]) {
    local(port);
    checks.update(directory, ['team/web']);
  }
  await settle();
  expect([...open]).toEqual([31_000]);
  checks.close();
  await settle();
  expect([...open]).toEqual([]);
});
