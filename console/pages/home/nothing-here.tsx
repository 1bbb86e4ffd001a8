export { NotFoundPage as Component } from '../../kit/not-found.tsx';
