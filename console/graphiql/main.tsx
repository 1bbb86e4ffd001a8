import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { createRoot } from 'react-dom/client';
import './graphiql.css';

// the session's cookie goes along by itself; there is nothing to paste
const fetcher = createGraphiQLFetcher({ url: '/graphql' });

createRoot(document.getElementById('graphiql')!).render(
  <GraphiQL fetcher={fetcher} defaultQuery={'{\n  me {\n    permissions\n  }\n}\n'} />,
);
