/** Against whose share a request's body counts: its connection's, its user's or its stranger's address, and everybody's. */
import type { UserInfo } from '../../lib/index.ts';
import { type Account, openAccount } from './byte-budget.ts';
import { isKept } from './connection-table.ts';
import {
  ADDRESS_BODY_BYTES,
  ORDINARY_BODY_BYTES,
  STRANGERS_BODY_BYTES,
  TOTAL_BODY_BYTES,
  USER_BODY_BYTES,
} from './limits.ts';

export class BodyAccounts {
  readonly #total = openAccount('the server', TOTAL_BODY_BYTES, true);
  readonly #ordinary = openAccount('the server', ORDINARY_BODY_BYTES, true);
  readonly #strangers = openAccount('the server', STRANGERS_BODY_BYTES, true);
  readonly #owners = new Map<string, Account>();

  /** Bytes held in all. */
  get used(): number {
    return this.#total.used;
  }

  /** Users and addresses that hold any. */
  get owners(): number {
    return this.#owners.size;
  }

  /** @param address of `addressKey` */
  ofStranger(connection: Account, address: string): readonly Account[] {
    const own = this.#owner(`address ${address}`, ADDRESS_BODY_BYTES);
    return [connection, own, this.#strangers, this.#ordinary, this.#total];
  }

  ofUser(connection: Account, user: UserInfo): readonly Account[] {
    const own = this.#owner(`user ${JSON.stringify(user.name)}`, USER_BODY_BYTES);
    return isKept(user) ? [connection, own, this.#total] : [connection, own, this.#ordinary, this.#total];
  }

  /** Forgets owners that hold nothing any more. To be called after each release. */
  forget(accounts: readonly Account[]): void {
    for (const account of accounts) {
      if (account.used === 0 && this.#owners.get(account.name) === account) this.#owners.delete(account.name);
    }
  }

  #owner(name: string, limit: number): Account {
    let account = this.#owners.get(name);
    if (account === undefined) this.#owners.set(name, (account = openAccount(name, limit)));
    return account;
  }
}
