import { describe, expect, it } from 'vitest';
import { parseListen, parseNodeName, parsePeriod, parsePodCidr, parseRuntime, parseSeconds } from './flag-values.ts';

describe('parseListen', () => {
  it.each([
    ['127.0.0.1:6443', '127.0.0.1', 6443],
    ['6443', '127.0.0.1', 6443],
    [':6443', '0.0.0.0', 6443],
    ['localhost:0', 'localhost', 0],
    ['[::1]:6443', '::1', 6443],
  ])('takes %s', (text, host, port) => {
    expect(parseListen(text)).toEqual({ host, port });
  });
  it.each([
    ['', 'HOST:PORT'],
    ['127.0.0.1', 'HOST:PORT'],
    ['127.0.0.1:65536', 'HOST:PORT'],
    ['::1:6443', 'HOST:PORT'],
    ['127.0.0.256:80', 'not an IP address'],
    ['1.2.3:80', 'not an IP address'],
    ['a b:80', 'not a host name'],
  ])('refuses %j', (text, message) => {
    expect(() => parseListen(text)).toThrow(message);
  });
});

describe('parseNodeName', () => {
  it.each(['a', 'node-1', 'node.example.com'])('takes %s', (text) => expect(parseNodeName(text)).toBe(text));
  it.each(['', 'Node', '-a', 'a-', 'a..b', 'a_b', 'a'.repeat(64)])('refuses %j', (text) => {
    expect(() => parseNodeName(text)).toThrow('node name');
  });
});

describe('parsePodCidr', () => {
  it.each([
    ['10.244.0.0/16', 0x0af40000, 16],
    ['255.255.255.0/24', 0xffffff00, 24],
  ])('takes %s', (text, base, prefix) => expect(parsePodCidr(text)).toEqual({ text, base, prefix }));
  it.each([
    ['10.244.0.1/16', 'the network is 10.244.0.0/16'],
    ['200.1.2.3/8', 'the network is 200.0.0.0/8'],
    ['10.0.0.0/7', 'between /8 and /28'],
    ['10.0.0.0/29', 'between /8 and /28'],
    ['10.0.0.256/16', 'IPv4 network'],
    ['fd00::/64', 'IPv4 network'],
    ['10.244.0.0', 'IPv4 network'],
  ])('refuses %s', (text, message) => expect(() => parsePodCidr(text)).toThrow(message));
});

describe('parseRuntime', () => {
  it.each([
    ['auto', { kind: 'auto' }],
    ['containerd', { kind: 'containerd' }],
    ['process', { kind: 'process' }],
    ['unix:///run/containerd/containerd.sock', { kind: 'socket', path: '/run/containerd/containerd.sock' }],
  ])('takes %s', (text, value) => expect(parseRuntime(text)).toEqual(value));
  it.each([
    ['docker', 'auto, containerd'],
    ['/run/x.sock', 'unix:///PATH'],
    ['unix://run/x.sock', 'three slashes'],
    [`unix:///${'a'.repeat(107)}`, '107 bytes'],
  ])('refuses %s', (text, message) => expect(() => parseRuntime(text)).toThrow(message));
});

describe('parseSeconds', () => {
  it('takes whole seconds', () => expect(parseSeconds('30')).toBe(30));
  it.each(['0', '-1', '1.5', 'x', '', '86401'])('refuses %j', (text) =>
    expect(() => parseSeconds(text)).toThrow('seconds'),
  );
});

describe('parsePeriod', () => {
  it.each([
    ['10s', 10_000],
    ['1m30s', 90_000],
    ['300s', 300_000],
    ['1.5s', 1500],
    ['500ms', 500],
    ['1h', 3_600_000],
  ])('takes %s', (text, ms) => expect(parsePeriod(text)).toBe(ms));
  it.each(['', '10', 's', '0s', '-1s', '1h1ms', '1 s', '10s!'])('refuses %j', (text) => {
    expect(() => parsePeriod(text)).toThrow('Give a length of time');
  });
});
