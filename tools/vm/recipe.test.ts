import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT_PORT, GUEST_API_PORT } from './qemu.ts';
import { FILES, finishScript, PACKAGES } from './recipe.ts';

const guestFile = (name: string): string => readFileSync(join(import.meta.dirname, 'guest', name), 'utf8');

describe('the guest', () => {
  it('listens where the machine leads', () => {
    expect(guestFile('agent.sh')).toContain(`/dev/virtio-ports/${AGENT_PORT}`);
    expect(FILES['/etc/systemd/system/api-proxy.socket']).toContain(`:${GUEST_API_PORT}\n`);
  });

  it('has every unit of its own that it enables, and enables all that can be', () => {
    const own = Object.keys(FILES).filter((path) => path.startsWith('/etc/systemd/system/'));
    for (const path of own.filter((each) => FILES[each]?.includes('[Install]'))) {
      expect(finishScript()).toContain(path.slice(path.lastIndexOf('/') + 1));
    }
  });

  it('has nothing that would mend what mendlet is to mend', () => {
    expect(PACKAGES).not.toContain('iptables-persistent');
    expect(finishScript()).toMatch(/mask .*\bcontainerd\.service\b/);
  });
});
