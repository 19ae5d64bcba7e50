"""The nine-point operator cell by cell from its definition, as a sparse matrix of sea cells."""

import numpy as np
import scipy.sparse as sparse


def operator(depth, x_face_width, y_face_width, area, shift, periodic_i, periodic_j=False):
    """Sum over corners of H dx dy (grad p . grad q), plus area shift p q: the quadratic form.

    At a corner with four sea cells around it, dp/dx is the mean of the two differences along x over
    the corner's dx, dp/dy likewise; the form is half its derivative with respect to q.
    """
    nj, ni = depth.shape
    number = np.full(depth.shape, -1)
    number[depth > 0] = np.arange((depth > 0).sum())
    size = int((depth > 0).sum())
    matrix = sparse.lil_matrix((size, size))
    for j in range(nj + (0 if periodic_j else 1)):
        for i in range(ni + (0 if periodic_i else 1)):
            rows = [(j - 1) % nj if periodic_j else j - 1, j % nj if periodic_j else j]
            columns = [(i - 1) % ni if periodic_i else i - 1, i % ni if periodic_i else i]
            if min(rows) < 0 or max(rows) >= nj or min(columns) < 0 or max(columns) >= ni:
                continue
            south, north = rows
            west, east = columns
            cells = [(south, west), (south, east), (north, west), (north, east)]
            least = min(depth[cell] for cell in cells)
            if least <= 0:
                continue
            dx = 0.5 * (y_face_width[j, west] + y_face_width[j, east])
            dy = 0.5 * (x_face_width[south, i] + x_face_width[north, i])
            gradient_x = np.array([-0.5, 0.5, -0.5, 0.5]) / dx
            gradient_y = np.array([-0.5, -0.5, 0.5, 0.5]) / dy
            form = np.outer(gradient_x, gradient_x) + np.outer(gradient_y, gradient_y)
            places = [number[cell] for cell in cells]
            matrix[np.ix_(places, places)] += least * dx * dy * form
    matrix.setdiag(matrix.diagonal() + (area * shift)[depth > 0])
    return matrix.tocsr()


def tiles_only(matrix, depth, rows, columns):
    """The matrix without couplings between tiles of rows x columns cells of the global grid."""
    j, i = np.nonzero(depth > 0)
    tile = (j // rows) * 10_000 + i // columns
    entries = matrix.tocoo()
    keep = tile[entries.row] == tile[entries.col]
    kept = (entries.data[keep], (entries.row[keep], entries.col[keep]))
    return sparse.csc_matrix(kept, shape=matrix.shape)
