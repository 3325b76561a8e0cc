import { describe, expect, it } from 'vitest';
import { createMetrics, silentLogger as logger } from '../../lib/index.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import { LocalVerdicts } from '../services/local-verdicts.ts';
import type { ServiceDirectory } from '../services/service-directory.ts';
import { HealthChecks } from './health-checks.ts';
import type { RouterMachine } from './router-machine.ts';
import { ServiceRouter } from './service-router.ts';

const SETTINGS = {
  instanceId: 'x',
  podNetworks: ['10.244.0.0/24'],
  serviceNetworks: ['10.96.0.0/16'],
  routesHost: true,
};
const directory: ServiceDirectory = {
  synced: true,
  services: () => [],
  service: () => undefined,
  servicesIn: () => [],
  slices: () => [],
  slicesOfPod: () => [],
  slicesAt: () => [],
  servicesAt: () => [],
  onChange: () => () => {},
  waitForSync: async () => {},
};

describe('what a router tells of itself', () => {
  it('is why its last transaction failed, and when the table was last as it should be', async () => {
    const clock = createManualClock();
    const answers: (string | undefined)[] = ['Error: No such file or directory', undefined];
    const machine: RouterMachine = {
      apply: async () => answers.shift(),
      outline: async () => undefined,
      contents: async () => undefined,
      removeTable: async () => {},
      watchRemovals: async () => '',
      filterBridges: async () => undefined,
      ensureServiceRoute: async () => undefined,
      removeServiceRoute: async () => undefined,
      removeServiceRoutes: async () => {},
      addresses: () => [],
      udpConnections: async () => undefined,
      forget: async () => {},
      begunConnections: async () => undefined,
      forgetUntranslated: async () => {},
    };
    const router = new ServiceRouter(
      { machine, clock, logger, metrics: createMetrics() },
      { nodeName: 'n1', zone: () => undefined, nodeDns: () => undefined },
      {
        directory,
        verdicts: new LocalVerdicts(),
        lostNetworks: undefined,
        healthChecks: new HealthChecks(async () => ({ close() {} }), 'n1', logger),
      },
    );
    expect(router.state).toEqual({ writtenAt: undefined, failure: undefined });
    const stop = new AbortController();
    const running = router.run(async () => SETTINGS, stop.signal);
    await settle();
    await clock.advance(1);
    await settle();
    expect(router.state).toEqual({ writtenAt: undefined, failure: 'Error: No such file or directory' });
    await clock.advance(2000);
    await settle();
    expect(router.state).toEqual({ writtenAt: expect.any(Number), failure: undefined });
    stop.abort();
    await running;
  });
});
