import { connectedSources } from './kit/connected-sources.js';
import { permissionContract } from './permission-contract.js';

for (const [system, start] of Object.entries(connectedSources))
  permissionContract(system, async () => {
    const source = await start();
    // under a name of its own, because the server has registered the connector with the timeouts of the real system
    return { ...source, connector: { ...source.connector, id: `${system}-contract` } };
  });
