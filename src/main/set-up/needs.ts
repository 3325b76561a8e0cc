/** The needs of a private containerd on this machine, and the packages that fulfil them. Pure. */

/** The programs that were found on the machine. */
export interface Present {
  readonly containerd: boolean;
  readonly runc: boolean;
  /** The CNI plugins bridge, host-local, portmap and loopback. */
  readonly cniPlugins: boolean;
  readonly iptables: boolean;
  /** nft. */
  readonly nftables: boolean;
  readonly conntrack: boolean;
  /** The program ip. */
  readonly iproute: boolean;
  /** A program for the sandbox ("pause") image: catatonit or a static busybox. */
  readonly staticInit: boolean;
  /** For the images of the demo. */
  readonly staticBusybox: boolean;
}

export interface Need {
  /** As people call it. */
  readonly what: string;
  readonly packages: Readonly<Record<PackageManager, string>>;
  /** What is not there without it, while pods run nevertheless; absent: no pod runs. */
  readonly serves?: string;
}

export type PackageManager = 'apt-get' | 'dnf' | 'zypper' | 'pacman' | 'apk';

/** Order of looking: the first that is there counts. */
export const packageManagers: readonly PackageManager[] = ['apt-get', 'dnf', 'zypper', 'pacman', 'apk'];

const install: Readonly<Record<PackageManager, string>> = {
  'apt-get': 'apt-get install --no-install-recommends',
  dnf: 'dnf install',
  zypper: 'zypper install',
  pacman: 'pacman -S',
  apk: 'apk add',
};

function same(name: string): Readonly<Record<PackageManager, string>> {
  return { 'apt-get': name, dnf: name, zypper: name, pacman: name, apk: name };
}

/** @returns what is missing, in the order in which it is installed */
export function missingNeeds(present: Present, options: { readonly demo: boolean }): readonly Need[] {
  const needs: Need[] = [];
  if (!present.containerd) needs.push({ what: 'containerd', packages: same('containerd') });
  if (!present.runc) needs.push({ what: 'runc', packages: same('runc') });
  if (!present.cniPlugins) {
    const packages = {
      ...same('cni-plugins'),
      'apt-get': 'containernetworking-plugins',
      dnf: 'containernetworking-plugins',
    };
    needs.push({ what: 'the CNI plugins', packages });
  }
  if (!present.iptables) needs.push({ what: 'iptables', packages: same('iptables') });
  if (!present.iproute) needs.push({ what: 'ip', packages: { ...same('iproute2'), dnf: 'iproute' } });
  if (!present.nftables) needs.push({ what: 'nft', packages: same('nftables'), serves: 'the routing of services' });
  if (!present.conntrack) {
    const packages = { ...same('conntrack-tools'), 'apt-get': 'conntrack' };
    needs.push({ what: 'conntrack', packages, serves: 'UDP of services after a death' });
  }
  if (!present.staticInit) needs.push({ what: 'a static init (catatonit)', packages: same('catatonit') });
  if (options.demo && !present.staticBusybox) {
    const packages = {
      ...same('busybox'),
      'apt-get': 'busybox-static',
      zypper: 'busybox-static',
      apk: 'busybox-static',
    };
    needs.push({ what: 'a static busybox (for the demo)', packages });
  }
  return needs;
}

/** The command that installs what is missing; `undefined` when no package manager is known here. */
export function installCommand(needs: readonly Need[], manager: PackageManager | undefined): string | undefined {
  if (manager === undefined) return undefined;
  return `${install[manager]} ${needs.map((need) => need.packages[manager]).join(' ')}`;
}

/** "a, b and c" */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
