import { describe, expect, it } from 'vitest';
import { freeNetwork } from './free-network.ts';

const head = 'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT';
const route = (destination: string, mask: string) => `eth0\t${destination}\t00000000\t0001\t0\t0\t0\t${mask}\t0\t0\t0`;

describe('freeNetwork', () => {
  it.each([
    ['only the default route', [route('00000000', '00000000')], '10.244.0.0/16'],
    ['the usual network', [route('0000F40A', '0000FFFF')], '10.245.0.0/16'],
    ['a part of it', [route('0005F40A', '00FFFFFF')], '10.245.0.0/16'],
    ['a host in it', [route('0105F40A', 'FFFFFFFF')], '10.245.0.0/16'],
    ['a neighbour', [route('0000F50A', '0000FFFF')], '10.244.0.0/16'],
    ['all of 10.0.0.0/8', [route('0000000A', '000000FF')], '10.244.0.0/16'],
    ['nothing at all', [], '10.244.0.0/16'],
  ])('%s', (_name, routes, expected) => expect(freeNetwork([head, ...routes, ''].join('\n')).text).toBe(expected));
});
