export const View = ({ name }: { name: string }) => <b>{name}</b>;
export function Page(): JSX.Element { return <View name="x" />; }
export const routes = { home: { path: "/", view: () => <Page /> }, data: { path: "/data" } };
