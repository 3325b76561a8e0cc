import { describe, expect, it } from 'vitest';
import { pod } from '../../evidence.fixtures.ts';
import { otherContainerText } from './other-container.ts';

const behind = (port: number, name = 'metrics') => ({
  name: 'web',
  targets: [{ port: 80, target: port }],
  server: {
    pod: {
      ...pod(),
      spec: {
        containers: [
          { name: 'web', ports: [{ containerPort: 8000 }] },
          { name, ports: [{ containerPort: 9090 }] },
        ],
      },
    },
  },
});

describe('a service that leads to another container', () => {
  it('is told with both ports', () => {
    expect(otherContainerText(behind(9090), 404)).toBe(
      'port 80 of service web leads to port 9090 of its pods, which is that of container metrics; container web has port 8000',
    );
  });

  it.each<[what: string, service: ReturnType<typeof behind>, status: number]>([
    ['its own container', behind(8000), 404],
    ['a port that nobody declares', behind(7000), 404],
    ['a container that stands in front of it', behind(9090, 'nginx'), 404],
    ['one that knows what it is asked for', behind(9090), 500],
  ])('is not told of %s', (_what, service, status) => {
    expect(otherContainerText(service, status)).toBeUndefined();
  });
});
