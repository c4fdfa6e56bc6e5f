import type { Environment } from '../../core/index.js';
import type { BackendLink } from './backend-link.js';
import type { ConnectionOptions } from './connection-options.js';
import type { Connector } from './socket-stash.js';

/** What the connections to one backend are made of, and who is told of them. */
export interface LinkParts {
  readonly key: string;
  /** `Host` and server name, when they are not those of the URL. */
  readonly host: string | undefined;
  /** The same, as far as the resolver gave it. */
  readonly givenHost: string | undefined;
  readonly zone: string | undefined;
  readonly options: ConnectionOptions;
  /** Opens connections; one for all links of a client, with the TLS sessions that it remembers. */
  readonly connector: Connector;
  /** The same for those that our own pool reads. */
  readonly ownConnector: Connector;
  readonly environment: Environment;
  /** Its state has changed. */
  readonly onChange: (link: BackendLink) => void;
}
