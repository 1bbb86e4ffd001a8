import { createGraphiQLFetcher } from '@graphiql/toolkit';
import { GraphiQL } from 'graphiql';
import 'graphiql/style.css';
import { createRoot } from 'react-dom/client';
import { describeControls } from './describe-controls.ts';
import './graphiql.css';

// the browser sends the session cookie
const fetcher = createGraphiQLFetcher({ url: '/graphql' });

const root = document.getElementById('graphiql')!;
describeControls(root);
createRoot(root).render(<GraphiQL fetcher={fetcher} defaultQuery={'{\n  me {\n    permissions\n  }\n}\n'} />);
