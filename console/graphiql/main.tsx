import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { createRoot } from 'react-dom/client';
import './graphiql.css';

// the browser sends the session cookie
const fetcher = createGraphiQLFetcher({ url: '/graphql' });

createRoot(document.getElementById('graphiql')!).render(
  <GraphiQL fetcher={fetcher} defaultQuery={'{\n  me {\n    permissions\n  }\n}\n'} />,
);
