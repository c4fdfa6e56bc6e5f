import { READY, type Subchannel } from './grpc-api.js';

/** A connection that leads nowhere, to try policies on. */
export class StandInSubchannel {
  readonly address: string;
  readonly #state: number;
  references = 0;

  constructor(address = '127.0.0.1:1', state: number = READY) {
    this.address = address;
    this.#state = state;
  }

  getConnectivityState(): number {
    return this.#state;
  }

  getAddress(): string {
    return this.address;
  }

  ref(): void {
    this.references++;
  }

  unref(): void {
    this.references--;
  }

  isHealthy(): boolean {
    return true;
  }

  realSubchannelEquals(other: unknown): boolean {
    return other === this;
  }

  getRealSubchannel(): this {
    return this;
  }

  getChannelzRef(): object {
    return { kind: 'subchannel', id: 0, name: this.address };
  }

  startConnecting(): void {}
  addConnectivityStateListener(): void {}
  removeConnectivityStateListener(): void {}
  addHealthStateWatcher(): void {}
  removeHealthStateWatcher(): void {}
  addDataWatcher(): void {}
  throttleKeepalive(): void {}

  asSubchannel(): Subchannel {
    return this as unknown as Subchannel;
  }
}
