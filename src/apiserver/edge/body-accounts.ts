/** Counts a request's body against the shares of its connection, of its user (for strangers: of its address), and of all. */
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
  readonly #users = new Map<string, Account>();
  readonly #addresses = new Map<string, Account>();

  /** Bytes held in all. */
  get used(): number {
    return this.#total.used;
  }

  /** Users and addresses that hold any. */
  get owners(): number {
    return this.#users.size + this.#addresses.size;
  }

  /** @param address of `addressKey` */
  ofStranger(connection: Account, address: string): readonly Account[] {
    const own = ownerOf(this.#addresses, address, () => `address ${address}`, ADDRESS_BODY_BYTES);
    return [connection, own, this.#strangers, this.#ordinary, this.#total];
  }

  ofUser(connection: Account, user: UserInfo): readonly Account[] {
    const own = ownerOf(this.#users, user.name, () => `user ${JSON.stringify(user.name)}`, USER_BODY_BYTES);
    return isKept(user) ? [connection, own, this.#total] : [connection, own, this.#ordinary, this.#total];
  }

  /** Forgets an owner that holds nothing any more. To be called after each release. */
  forget([, own]: readonly Account[]): void {
    if (own === undefined || own.used > 0) return;
    for (const owners of [this.#users, this.#addresses]) if (owners.get(own.key) === own) owners.delete(own.key);
  }
}

function ownerOf(owners: Map<string, Account>, key: string, name: () => string, limit: number): Account {
  let account = owners.get(key);
  if (account === undefined) owners.set(key, (account = openAccount(name(), limit, false, key)));
  return account;
}
