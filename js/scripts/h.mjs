// What the built page makes its elements with.
export { Fragment, h } from "preact";
